"""A study as a Jupyter notebook: words, plain code that computes the estimates again, and data."""
