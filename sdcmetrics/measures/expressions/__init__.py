"""The language of formulas and rules: words, trees, arithmetic on columns; never run as code."""
