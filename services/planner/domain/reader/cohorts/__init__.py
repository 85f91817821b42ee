"""Things followed from their first event on, read by what the question names."""
