"""Marginal tables beside a holdout: how far a replica is from them, and how far fresh data are."""
