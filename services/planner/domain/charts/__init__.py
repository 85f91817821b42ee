"""Which chart tells the truth about an answer: `table` says it, from what its columns mean.

`along` finds what lies along an axis, `labels` what axes are called, with units; `drawing` makes
the step that draws it.
"""
