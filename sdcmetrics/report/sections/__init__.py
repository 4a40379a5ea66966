"""One module per subject of the report."""
