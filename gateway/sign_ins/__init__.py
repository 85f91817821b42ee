"""Signed-in browsers."""
