"""The XML parts of a workbook, element by element, with nothing of them kept."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import IO
from xml.parsers import expat

CHUNK = 1 << 20
# Some programs write characters into texts that XML does not allow, and readers bear it.
_BEARABLE = bytes(b if b >= 32 or b in b"\t\n\r" else 32 for b in range(256))

Started = Callable[[str, dict[str, str], int], None]
"""Takes the name of an element without its prefix, its attributes, and where it begins."""


def walk(part: IO[bytes], started: Started, text: Callable[[str], None] | None = None) -> int:
    """Tell of every element that starts in a part, and of the texts between; give its bytes.

    Names are told without their prefix, since a prefix is any. Bytes are characters here: all that
    counts is ASCII. Raises ValueError for what is no XML, or declares types of its own.
    """
    parser = expat.ParserCreate("iso-8859-1")
    parser.buffer_text = True

    def start(name: str, attributes: dict[str, str]) -> None:
        started(name.rpartition(":")[2], attributes, parser.CurrentByteIndex)

    def refuse(*_: object) -> None:
        raise ValueError("it declares a document type, as no workbook does")

    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    if text is not None:
        parser.CharacterDataHandler = text
    read = 0
    try:
        while chunk := part.read(CHUNK):
            if not read:
                chunk = chunk.removeprefix(codecs.BOM_UTF8)
            read += len(chunk)
            parser.Parse(chunk.translate(_BEARABLE), False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise ValueError(f"it is no sound XML: {error}") from None
    return read
