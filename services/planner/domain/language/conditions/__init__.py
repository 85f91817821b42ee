"""Which rows are meant, and which groups of them.

`conditions` finds all: `comparisons` with numbers and of `two_columns`, `text_conditions`, `flags`,
what `happened` or is `undone`, what is absent (`absences`, `those_without`, `stock`), conditions on
groups (`counted_groups`, `exact_numbers`, `pronouns`), and how they go together (`alternatives`).
"""
