"""English words without their endings.

`import snowballstemmer` runs the modules of 36 languages, 65 ms of every process that reads words.
Here those of one language are loaded, as a package of their own.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any

_PACKAGE = f"{__name__}.snowball"


def _english() -> Callable[[], Any]:
    found = importlib.util.find_spec("snowballstemmer")
    assert found is not None, "snowballstemmer is one of our requirements"
    package = ModuleType(_PACKAGE)
    package.__path__ = list(found.submodule_search_locations or ())
    sys.modules[_PACKAGE] = package
    made: Callable[[], Any] = importlib.import_module(f"{_PACKAGE}.english_stemmer").EnglishStemmer
    return made


_STEMMER = _english()


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The word without its ending: `categories` and `category` meet (Snowball, English).

    Capitals are letters of their own to it: give lower case.
    """
    # One of its own for each word: it keeps the word in itself, and threads would mix theirs.
    return str(_STEMMER().stemWord(word))
