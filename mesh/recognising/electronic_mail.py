"""E-mail addresses, those of other scripts too (RFC 5321, 6531, 5890)."""

from __future__ import annotations

import re
import unicodedata

_SPOKEN_DOT = "(?:dot|punkt|point|punto)"
SUSPECT = f"@|[\\[({{<] ?(?:at|\u00e4t|arroba) ?[\\])}}>]|[ _-]{_SPOKEN_DOT}[ _-]"

_LOCAL = r"""(?:[^\s@<>()\[\],;:"\\]{1,64}|"[^"@\n]{1,62}")"""
_LABEL = r"""[^\s@.,;:<>()\[\]"'/\\!?&=#%*|{}$+~^`]{1,63}"""
_ADDRESS = re.compile(
    rf"{_LOCAL}@(?:(?P<literal>\[[0-9A-Fa-f:.]+\])|(?P<domain>{_LABEL}(?:\.{_LABEL})+))"
)
# As people hide it from programs: "ann [at] example (dot) com", "ann at example dot com".
_AT = re.compile(r" ?[\[({<] ?(?:at|\u00e4t|arroba|@) ?[\])}>] ?", re.IGNORECASE)
_DOT = re.compile(rf" ?[\[({{<] ?(?:{_SPOKEN_DOT}|\.) ?[\])}}>] ?", re.IGNORECASE)
_MAY_BE_AT = re.compile(r"[\[({<] ?(?:at|\u00e4t|arroba|@) ?[\])}>]", re.IGNORECASE)
_MAY_BE_SPELLED = re.compile(f"[ _-]{_SPOKEN_DOT}[ _-]", re.IGNORECASE)
_SPELLED = re.compile(
    r"(?<![^\s<(\"':;,])[a-z0-9][\w.+-]*([ _-])at\1"
    rf"[a-z0-9-]+(?:(?:\1{_SPOKEN_DOT}\1|\.)[a-z0-9-]+)*\1{_SPOKEN_DOT}\1"
    r"(?:com|org|net|edu|gov|info|biz|eu|io|uk|de|fr|nl|es|ch|pl|se|dk|fi|ie|jp|cn|au|ca|br|mx|ru)"
    r"(?![a-z])",
    re.IGNORECASE,
)
# Endings of files that are no top level.
_FILES = frozenset(
    "png jpg jpeg gif webp svg bmp tif tiff pdf txt csv tsv json jsonl xml html htm css js ts jsx "
    "tsx yaml yml toml ini log lock whl gz tgz bz2 xz tar jar exe dll docx xlsx pptx parquet "
    "sqlite".split()
)


def found(text: str) -> bool:
    """Whether the text holds an address, also one that is spelled out."""
    if _MAY_BE_SPELLED.search(text) and _SPELLED.search(text):
        return True
    if _MAY_BE_AT.search(text):
        text = _DOT.sub(".", _AT.sub("@", text))
    return "@" in text and any(
        match["literal"] or _is_domain(match["domain"]) for match in _ADDRESS.finditer(text)
    )


def _is_domain(name: str) -> bool:
    """Its last part is a top level: letters of any script, or their encoding."""
    rest, _, last = name.lower().rpartition(".")
    if re.match(r"xn--[a-z0-9]", last):
        return True
    if last in _FILES:  # a file may be named after an address
        return "." in rest and _is_domain(rest)
    return len(last) > 1 and all(unicodedata.category(sign)[0] in "LM" for sign in last)
