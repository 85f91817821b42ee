"""Whether groups can be compared: overlap, weights and balance."""
