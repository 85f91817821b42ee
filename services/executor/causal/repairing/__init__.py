"""What is wrong with data, and repairs that can be taken back."""
