"""Checks before a file goes out: label, structure, documentation."""
