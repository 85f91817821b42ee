"""From an intent to steps, a chart and one line for people.

`draft` makes the plan; `sql` renders the query as a syntax tree (`output_sql`, `predicates`,
`period_sql`) with bound values; `compared_plan`, `spread_plan` and `samples` make further steps;
`chart` picks the chart; `summary` says in words what was understood.
"""
