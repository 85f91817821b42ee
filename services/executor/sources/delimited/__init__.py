"""Delimited text: which dialect, where the table is, what its columns mean, what does not fit.

`dialect` finds the separators, `layout` the table among other lines, `plain` the columns that need
no more than a cast, `numbers` and `dates` what the others mean, judged over the whole column;
`reader` puts them together, `aside` keeps what does not fit.
"""
