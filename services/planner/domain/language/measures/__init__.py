"""Which numbers are wanted, and from which table: `measures` finds all.

`counting` (how many of what), `averaged`, `ratios` and `per_thing` (numbers over things rather
than rows), `formulas` and `revenues` (money taken), `paired`, `text_numbers` (kept as text),
`calculated` (worked out from grouped numbers), and `unsaid` (the best by what, the average of
what).
"""
