"""Whose records are in a replica."""
