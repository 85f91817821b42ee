"""The rules reasoner's language pipeline: a question and a catalogue to a plan.

Stages, one file each: `normalise` (tokens, stems) with `vocabulary` (words as data); `clauses`
(chart, sorting, axes) and `times`; `lexicon` and `link` (phrases to tables, columns, values);
`resolve` (the best joint reading) over `joins`; `conditions` and `roles` (who plays which part);
`parse` with `measures`, `dimensions`, `entities`, `dates`, `ordering`, `settle`; then `chart`,
`summary`, `sql` and `draft`. `understand` runs them.
"""
