"""What a person is told of data before anything is asked of it."""
