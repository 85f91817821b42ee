"""The way back from a statement to what it means: an intent, where one says the same.

`recover.py` reads a statement as an intent and believes that only where the intent's own query has
the same canonical form. No word of any language is looked at.
"""
