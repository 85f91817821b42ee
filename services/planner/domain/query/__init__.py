"""What is asked of data, as typed values, and all that needs no words: joins, calendar, SQL, plans.

`intent` (with `filters`, `kinds` and `periods`) says what is asked; `joining` ties tables together,
`planning` renders an intent as SQL, steps, chart and one line for people, `from_sql` goes the other
way. Equal intents over equal data give equal plans, byte for byte.
"""
