"""Instructions: sentences with steps, constraints, named tests and a format, as one analysis.

`sentences` parts a question and marks what in it names data; `output` reads the format; `columns`,
`rows`, `numbers` and `tests` read what a sentence asks for, `compose` puts an analysis together,
`slots` ties its figures to the names they were asked under; `statements` and `plan` carry it out.
"""
