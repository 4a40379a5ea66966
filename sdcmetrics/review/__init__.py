"""Reviews of a study: tidy measurements, and their judgement by a profile."""
