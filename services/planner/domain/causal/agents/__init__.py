"""The thirteen agents of the causal pipeline (seed 001), a file each under its registered name."""
