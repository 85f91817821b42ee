"""Things followed from their first event on: cohorts, retention, new and returning.

`wish` hears that they are asked for (`words`), `things` finds who is followed and by which event,
`reading` makes the intent, `following` settles it; `sql`, `steps`, `outputs` and `plan` make the
plan of it.
"""
