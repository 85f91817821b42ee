"""Example data with documented truths in it; see README.md in this folder."""
