"""Jobs of kind causal."""
