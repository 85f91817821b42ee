"""The rules reasoner's language pipeline: a question and a catalogue to a plan.

1. Normalise: `normalise` (tokens, stems, names as words), with words as data in `vocabulary`
   and `cues`.
2. Set phrases, taken out before names are linked: `statistics.wish` (a test), `calculations`
   (shares, growth, ranges, percentiles), `clauses` (chart, sorting, axes), `times` (spans).
3. Link phrases to tables, columns, values and units of time, each with a score and a reason:
   `lexicon` (names and synonyms), `exact` (names as written), `link`, `mention`, `meanings` (what
   nothing else explains).
4. Resolve what is ambiguous: `resolve` finds the best joint reading over `joins` (with `keys`),
   and asks back when readings as good give other answers; `unmatched` takes values as written
   that the data does not hold.
5. Parse: `roles`, `counting`, `averaged` and `superlatives` say who plays which part, put right by
   `promote`; `comparisons` and `conditions` which rows; `measures` (`ratios`, `revenues`,
   `formulas`, `per_thing`), `dimensions` (`entities`, `group_cues`, `time_groups`, `grains`,
   `dates`), `working` (calculations and ranges; `warming` widens spans for growth), `undone` (what
   has not happened), `listing`, `ordering`, `pruning` and `settle` (joins, counts) fill the draft
   in `work`; `parse` runs them.
6. The `intent` is the only outcome: a documented value that holds no SQL.
7. Plan and show: `sql` (`predicates`, `calculated`) renders it, `chart` picks a chart, `draft`
   makes the steps, `summary` says in one line what was understood.

Questions for statistics go another way from 5 on, in `statistics/`, and so do things followed from
their first event on, in `cohorts/`; `compared_periods` sets two periods against each other, and
`compared_plan` makes its steps. Before all of it `referring/` reads what questions say of
references of a table to itself, `timing/` what they say of the time between dates, `defining/` what
they define of their own (both make columns of it), and `rephrasing` and `everyday` put what people
say into the words known here. `happened` takes what was done. After it `unread` and `lost_words`
refuse where words that change the answer are left.

`understand` runs all of it. Equal questions over equal data give equal plans, byte for byte.
"""
