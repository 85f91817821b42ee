"""Spans of time as people write them, and which date they are about."""
