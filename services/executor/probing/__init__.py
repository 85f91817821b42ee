"""Asking the data what many candidate queries give, before one of them is chosen."""
