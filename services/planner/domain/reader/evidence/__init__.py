"""What the data says of readings."""
