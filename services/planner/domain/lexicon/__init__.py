"""Names as words, and words as data: stems, synonyms, short forms, plurals."""
