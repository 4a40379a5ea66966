"""How alike the distributions of an original and a replica are."""
