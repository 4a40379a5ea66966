"""Association of mixed columns: how far a replica keeps what columns tell of each other."""
