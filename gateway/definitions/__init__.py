"""Definitions of what data means: proposed by anybody, in force once a person approved them."""
