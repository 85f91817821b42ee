"""Boards: pinned answers that are asked for again."""
