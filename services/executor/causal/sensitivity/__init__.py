"""How fragile an effect is: a file a test."""
