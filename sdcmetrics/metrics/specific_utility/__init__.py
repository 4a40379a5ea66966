"""Specific utility: whether models fitted on the replica answer as those on the original do."""
