"""What the numbers are split by: `dimensions` finds all, the x axis first, then the series
(`axes`).

`group_cues` are the words for it, `time_groups` and `dates` split by time (`recency`: the latest
by which date; `dated_doings`: times that are said of a doing; `calendar_spans`: this year and last
year; `coverage`: units covered in part;
`warming`: what growth looks at before a span), `merging` puts one in place of another that says
less.
"""
