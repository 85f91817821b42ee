"""What is seen in data that may make answers wrong, one file a kind."""
