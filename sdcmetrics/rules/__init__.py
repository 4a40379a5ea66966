"""Relations that must hold in every record: a small language, and what a data set makes of it."""
