"""Identifiers of people: values of near-unique columns that a replica shares with the original."""
