"""Statistical models: formulas, model matrices and fits, the same for every data set."""
