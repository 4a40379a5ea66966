"""Analyses that users declare: an estimate with its error, from the original and from a replica."""
