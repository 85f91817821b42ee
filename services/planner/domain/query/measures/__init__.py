"""Numbers of groups, of things and of metrics, as SQL."""
