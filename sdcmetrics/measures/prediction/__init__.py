"""Models that predict one column from the others; the only place that imports scikit-learn."""
