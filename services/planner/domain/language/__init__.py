"""The rules reasoner's language pipeline: a question and a catalogue to a plan.

`understand` runs the stages, each a folder:

1. Before all: `referring/` reads references of a table to itself, `timing/` the time between dates,
   `defining/` columns that the question defines (both others make such columns too).
2. `normalising/`: tokens, stems, names as words; everyday words into known ones.
3. `phrases/`: what is said in set words about time, charts, order, shares, ranges and ranks.
4. `linking/`: phrases to tables, columns, values and units of time, each with a score and a reason.
5. `resolving/`: the best joint reading over `joining/`, or one question back.
6. `parsing/`: mentions to an intent, by `conditions/` (which rows), `measures/` (which numbers) and
   `dimensions/` (split by what). Statistics go by `statistics/` instead, and things followed from
   their first event on by `cohorts/`.
7. `refusing/`: no answer where words were lost that change it.
8. `planning/`: an intent to steps and SQL, a chart, and one line for people.

`intent` (with `filters` and `kinds`) is what leaves the first seven: a documented value that holds
no SQL. `scene` and `work` are what the stages of parsing share. Equal questions over equal data
give equal plans, byte for byte.
"""
