"""What each phrase may stand for: tables, columns, values and units of time, scored, with reasons.

`lexicon` indexes the names of a catalogue, `spans` says which runs of words may be names, `link`
ties them (`phrase_names`, `exact`, `nearly`, `linked_values`; without `doing`, what things do,
and `glosses`, what is said again), `meanings` ties what no name explains. All come as the
`mention`s of a question. `unmatched` reads values as written that the data does not hold.
"""
