"""Distances to the closest records, beside a holdout."""
