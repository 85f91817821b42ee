"""One module a table, each with its `QUESTIONS`."""
