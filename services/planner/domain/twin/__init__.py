"""A second statement, compiled from what an author declares that a first one means."""
