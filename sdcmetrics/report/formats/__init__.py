"""HTML, PDF, JSON and CSV files."""
