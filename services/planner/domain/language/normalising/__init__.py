"""Text into words: the same treatment for questions and for the names in a catalogue.

`normalise` makes tokens, stems, and words of identifiers; `vocabulary`, `cues` and `grains` hold
words as data. `rephrasing` puts what people say into words that the other stages know: `everyday`
words, `flag_words` ("survivors"), `known_names` of the data, without `instructions` for writing.
"""
