"""The rules reasoner's language pipeline: a question and a catalogue to a plan.

Stages, one file each: `normalise` (tokens, stems) with `vocabulary` (words as data); `clauses`
(chart, sorting, axes) and `times`; `lexicon`, `exact` and `link` (phrases to tables, columns,
values); `resolve` (the best joint reading) over `joins`; `unmatched` (values the data does not
hold); `conditions`, `averaged` and `roles` (who plays which part), put right by `promote`; `parse`
with `measures` (`revenues`, `ratios`), `dimensions`, `entities`, `listing`, `dates`, `ordering`,
`settle`; then `chart`, `summary`, `sql` and `draft`. `understand` runs them.
"""
