"""Metrics: small pure functions of counts, one module a subject."""
