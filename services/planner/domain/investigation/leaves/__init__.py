"""Investigations of leaves: rows of dimensions with what was real and what was forecast."""
