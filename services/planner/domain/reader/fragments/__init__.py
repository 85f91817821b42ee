"""Fragments of questions: "no, by ship country", "only 1997", "as a line chart", "the median".

A fragment says no whole question: it changes a reading that is there. `reading.py` reads one over
the same links and grammar as questions are read with, `editing.py` changes an intent by it, and
`corrected.py` is the way in.
"""
