"""Columns that a question defines itself: "FamilySize = SibSp + Parch + 1", "age under 18, 18-60".

`terms` is what such a column is made of; `formula` and `ranges` read one from words; `sentences`
finds them in a question, and `definitions` puts them beside the columns of the data. `nodes`
renders them as SQL below the table's own name, so that no other stage sees a difference.
"""
