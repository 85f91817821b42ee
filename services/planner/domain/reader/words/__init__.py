"""Text into tokens: the only place that looks at characters."""
