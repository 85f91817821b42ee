"""Which rows are meant, and which groups of them.

`conditions` finds all: `comparisons` with numbers (`compared`: of what) and of `two_columns`,
`text_conditions`, `durations`, `flags`, what `happened` or is `undone`, what is absent
(`absences`, `those_without`, `stock`), conditions on groups (`counted_groups`, `exact_numbers`,
`pronouns`), and how they go together (`alternatives`; `told_apart` where each is to have a number).
"""
