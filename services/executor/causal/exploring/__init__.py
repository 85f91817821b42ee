"""How columns are spread, and how they hang together."""
