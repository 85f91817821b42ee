"""Turns of a conversation (seed 003): what a message is after those before it, and its response."""
