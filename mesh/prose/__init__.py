"""Texts whose numbers are bound to cells of frames, and whether these bear them out.

A text is Markdown in which `{71,398|f7.revenue[1997-12]}` shows a number and names the cell it is
from. What is not bound, and what the cells do not bear out, is a failure; nothing is guessed by
searching frames for a number that fits, which accepts most wrong ones. Pure.
"""
