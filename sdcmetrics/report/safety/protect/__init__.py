"""What a release is made of: public things, and protected figures of confidential records."""
