"""Cross-tables: counting, and every statistic of two count tables over the same cells."""
