"""Questions about when things were done: how long it took, whether in time, how old somebody is.

`events` finds the dates that words speak of, `elapsed` the days between two of them, `lateness`
which was promised and which came, `ages` how old people are. `reading` runs them: what they find
becomes columns that the question defines, as in `defining/`.
"""
