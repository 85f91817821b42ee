"""Text into words: the same treatment for questions and for the names in a catalogue.

`normalise` makes tokens, stems, and words of identifiers; `vocabulary`, `cues` and `grains` hold
words as data; `rephrasing` and `everyday` put what people say into the words that the other
stages know, `known_names` into names of the data.
"""
