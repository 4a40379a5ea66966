"""References made of the original by hand, which any synthesis must beat."""
