"""Tables of a replica whose small counts are those of the original."""
