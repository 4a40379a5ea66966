"""Models of which data set a record is from: predictors, logistic fits, trees, scores."""
