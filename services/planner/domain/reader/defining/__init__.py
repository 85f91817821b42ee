"""Takes the columns that a question defines out of it."""
