"""Questions for statistics: which test, on which rows, shown how.

`wish` hears that one is asked (`phrases`), `columns` finds the rows (`named`, `values`), `choice`
which test fits them (`groups`, `models`), `charts` its picture; `tested_plan`, `tables` and
`profile_plan` make the steps.
"""
