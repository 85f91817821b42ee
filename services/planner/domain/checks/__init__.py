"""What may be wrong with a statement, whoever proposed it (docs/checks.md): one file a topic."""
