"""Native values beside those of R's synthpop, with a verdict."""
