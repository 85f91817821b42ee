"""A witness: remembers what a log showed it, and cosigns only what continues that."""
