"""What a statistical test takes and gives, as steps and tables."""
