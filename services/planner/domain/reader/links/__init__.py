"""Which words may stand for which table, column or value: candidates, never one winner."""
