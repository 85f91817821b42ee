"""Charts of causal analysis, in the style of all charts."""
