"""Words of business: what "tenure", "headcount" or "churn" are over columns that look like it.

`lexicon` has the words, one entry each, with what it needs and examples that run as tests;
`finding` recognises columns by kind and name, `forms` writes what a word means over them,
`moments` reads the day or period said beside it, `adding` puts it into the catalogue as a metric,
and `telling` says what was understood, asks back, or refuses with what is missing. What a semantic
model calls so goes before.
"""
