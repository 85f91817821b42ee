"""Teaches the reader from questions with the SQL that was meant: `python -m bench.training`."""
