"""Set phrases, read from the tokens alone and taken out before names are linked.

`times` (spans, with `moments`, `periods` and `time_parts`), `calculations` (shares, growth, ranges,
percentiles, but for `own_names` of columns), `clauses` (chart and sorting), `superlatives` and
`ordinals` (only some, which place), and `compared_numbers` (what a comparison is about).
"""
