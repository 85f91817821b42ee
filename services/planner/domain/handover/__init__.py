"""From where to why: what an investigation found, as the question of a causal job. Pure."""
