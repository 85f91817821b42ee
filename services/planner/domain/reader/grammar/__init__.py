"""What phrases mean, as rules with examples, one file a topic."""
