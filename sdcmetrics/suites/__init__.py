"""Suites of other people's metrics: they come in by the entry points that any package may have."""
