"""What the folder of an engine says of it in `about.py`, read before anything of it is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Declared:
    """An engine as its folder declares it: `ENGINE` in `engines/<folder>/about.py`.

    `name` is what people call it in settings and requests, `product` what its makers call it.

    Of a kind of database: `schemes` are those of its URLs and `port` the one it listens on by
    default; `database` is the module that is its `databases.kind.DatabaseKind`. `needs` are modules
    of other people that it cannot do without, by the extra of this project that brings them.

    Of an engine over files: `opens` is the module whose `opened(settings)` gives it, or None where
    nothing says where its server is, and `setting` what would say so.
    """

    name: str
    product: str
    schemes: frozenset[str] = frozenset()
    port: str = ""
    database: str = ""
    needs: Mapping[str, str] = field(default_factory=dict)
    opens: str = ""
    setting: str = ""
