"""How a sample was drawn: weights, strata, clusters, households; and what that does to errors."""
