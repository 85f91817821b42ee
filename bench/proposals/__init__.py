"""How well what is proposed is judged: right statements, and the same with one planted mistake."""
