"""How a causal graph is found in data, and what follows from it for an effect."""
