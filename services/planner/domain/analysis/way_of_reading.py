"""Which way of reading questions this is: a recipe of another way is not used again.

An answer that an older reasoner got wrong must not outlive it, so nobody has to remember to say
that the reading has changed: the source that reads questions says it by itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

_DOMAIN = Path(__file__).parent.parent
_ROOMS = ("lexicon", "semantics", "query", "business", "charts", "reader", "drafting")
_READS = tuple(
    path
    for room in _ROOMS
    for path in (_DOMAIN / room).rglob("*")
    if path.suffix in (".py", ".json")
)


def digest_of(sources: Iterable[Path], folder: Path) -> str:
    """The digest of the files' names and contents, in one order on every machine."""
    digest = hashlib.sha256()
    for name, path in sorted((path.relative_to(folder).as_posix(), path) for path in sources):
        content = path.read_bytes()
        digest.update(f"{name}\n{len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


READING = digest_of(_READS, _DOMAIN)
"""Equal for processes that read questions and draw up plans alike."""
