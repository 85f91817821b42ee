"""Statistics questions with instructions: sentences, constraints, named tests, output formats.

`questions/` has one file a table; the truth stands beside each question as plain pandas and scipy.
`python -m bench.instructions` asks them all and tells right, wrong and refused, with a third of the
tables, held out while the reader was built, told apart.
"""
