"""Things followed from their first event on: steps, SQL, and how they are told."""
