"""Tools of causal analysis, in parts: data, graphs, estimates, tests, charts, the notebook."""
