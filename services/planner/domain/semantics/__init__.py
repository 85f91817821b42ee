"""What the values of a column mean: kinds, units, and columns that say units."""
