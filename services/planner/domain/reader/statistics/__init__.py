"""Which statistical test is asked for, over which columns."""
