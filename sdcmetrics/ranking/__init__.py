"""Ranking of replicas: values, strategies, weights, uncertainty."""
