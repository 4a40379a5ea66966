"""Identifiers of people: which values of near-unique columns the replica shares with the original."""
