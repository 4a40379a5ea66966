"""Distances between whole distributions."""
