"""Sampling designs: weights, strata, clusters, households, and design-based errors."""
