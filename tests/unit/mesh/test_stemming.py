"""Stems of English words, with the modules of one language."""

from __future__ import annotations

import sys

import snowballstemmer

from mesh.text.stemming import stem


def test_stems_are_those_of_the_library() -> None:
    theirs = snowballstemmer.stemmer("english")
    words = "countries country sales data sold highest running news dying generously a ''s café"
    for word in words.split():
        assert stem(word) == theirs.stemWord(word)


def test_other_languages_are_not_loaded_with_english() -> None:
    loaded = {name for name in sys.modules if name.startswith("mesh.text.stemming.")}

    assert {name.rpartition(".")[2] for name in loaded} == {
        *("snowball", "english_stemmer", "basestemmer", "among"),
    }
