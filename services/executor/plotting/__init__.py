"""Charts that do not mislead: from a frame and a few wishes to a matplotlib figure."""
