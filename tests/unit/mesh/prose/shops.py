"""Frames that the tests of texts cite."""

from __future__ import annotations

from datetime import date

from mesh.prose.checking import check_text
from mesh.prose.frames import Frame

SALES = Frame(
    "f1",
    ("year", "region", "revenue", "orders"),
    {
        "year": [1996, 1996, 1997, 1997],
        "region": ["North", "South", "North", "South"],
        "revenue": [100.5, 200.0, 150.25, 120.0],
        "orders": [10, 20, 12, 11],
    },
    statement="select year, region, sum(revenue) revenue from sales where price > 300 group by all",
)
FREIGHT = Frame(
    "f2",
    ("month", "freight", "share"),
    {
        "month": [date(1997, month, 1) for month in range(1, 5)],
        "freight": [10.0, 20.0, 15.0, 12.0],
        "share": [0.1, 0.2, 0.5, 0.2],
    },
    doubts={"J01": "each order is counted once for each of its lines"},
)
NO_EFFECT = Frame("t1", ("effect", "p"), {"effect": [2.5], "p": [0.2]})
AN_EFFECT = Frame("t2", ("effect", "p_value"), {"effect": [4.0], "p_value": [0.003]})


def tested(name: str, p: float, confidence: float = 0.95, *more: str) -> Frame:
    """What `stats.test` gives."""
    rows: list[tuple[str, float | None]] = [("difference of means", 4.0), ("p-value", p)]
    rows += [("confidence", confidence)]
    rows += [(one, None) for one in more]
    return Frame(
        name,
        ("about", "statistic", "value", "text"),
        {
            "about": ["" for _ in rows],
            "statistic": [kind for kind, _ in rows],
            "value": [value for _, value in rows],
            "text": [None for _ in rows],
        },
    )


STUDY = Frame("c1", ("effect",), {"effect": [4.0]}, effect=True)
NO_STUDY = Frame("c2", ("effect",), {"effect": [0.1]}, effect=False)
WRONG = Frame("f3", ("n",), {"n": [3]}, contested=True)
FRAMES = {
    frame.name: frame
    for frame in (
        *(SALES, FREIGHT, NO_EFFECT, AN_EFFECT, STUDY, NO_STUDY, WRONG),
        tested("f4", 0.02),
        tested("f5", 0.02, 0.99),
        tested("f6", 0.001, 0.95, "not met"),
    )
}
PASSED_ON = " {Orders may count twice|doubt f2.J01}."


def failures(text: str) -> list[tuple[str, str]]:
    """Kind and claim of everything that fails in a text."""
    return [(one.code.value, one.claimed) for one in check_text(text, FRAMES).failures]
