"""Typed pieces composed into readings, the likeliest first."""
