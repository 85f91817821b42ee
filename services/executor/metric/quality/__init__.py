"""What is wrong with the rows of a metric: gaps, repeats, empty cells, units, spellings."""
