"""Models that tell a replica from its original."""
