"""Which domains of several a question is put to (seed 000)."""
