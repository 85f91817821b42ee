"""What memory remembers: recipes and documents, and the rules they obey."""
