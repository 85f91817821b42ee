"""What causes what (seed 001): the rules of causal jobs."""
