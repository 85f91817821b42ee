"""How sure an answer is told, by what was measured (docs/confidence.md)."""
