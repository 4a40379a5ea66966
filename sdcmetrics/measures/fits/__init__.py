"""Fitted models of the original and of a replica, and how far their intervals overlap."""
