"""Association of mixed columns: how well a replica preserves it."""
