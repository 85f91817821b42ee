"""Untrusted Python in a process of its own: no network, no files, bounded."""
