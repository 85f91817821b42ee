"""Reading the rows of an analysis, all of them or an even sample."""
