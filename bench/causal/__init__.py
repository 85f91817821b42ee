"""Benchmarks of causal analysis, on data whose graph and effects are known."""
