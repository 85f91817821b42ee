"""Carrying out an investigation: ground it, loop, conclude."""
