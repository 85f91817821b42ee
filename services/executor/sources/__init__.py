"""Sources: files and databases, read once into typed tables, described and searched."""
