"""From settled mentions to an intent: `parse` runs the parts over a draft, the `work`.

`roles` says who plays which part, put right by `promote`; `filling` adds what goes without saying;
`listing`, `ordering`, `shares` and `working` what lists, rankings and calculations need;
`compared_periods` sets two periods side by side; `settle` and `pruning` join the tables.
"""
