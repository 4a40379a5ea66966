"""The parts of a release: public things, and protected figures of confidential records."""
