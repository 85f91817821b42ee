"""Functions that stand in notebooks as they stand here, where they are checked and tested.

They may use no more than a notebook has: `opened` is its DuckDB connection.
"""

# Annotations would say nothing to whoever reads them in a notebook.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, no-any-return, call-overload, misc"

from __future__ import annotations

import json

import duckdb
import matplotlib.pyplot as plt
import pandas as pd

opened = duckdb.connect()


def same(rows, recorded):
    """Raise AssertionError unless these are the recorded rows, in whichever order.

    Numbers may differ by a part in 10⁹: sums depend on the order of their parts.
    """
    found, known = plain(rows), plain(recorded)
    assert list(found) == list(known), f"columns {list(found)}, recorded {list(known)}"
    assert len(found) == len(known), f"{len(found):,} rows, recorded {len(known):,}"
    pd.testing.assert_frame_equal(in_order(found), in_order(known), check_dtype=False, rtol=1e-9)
    print(f"the same {len(found):,} rows as recorded")


def plain(rows):
    """Rows whose columns are numbers or texts: a day and its midnight are one."""

    def column(values):
        try:
            return values.astype(float)
        except (TypeError, ValueError):
            texts = values.astype(object).where(values.notna(), "").astype(str)
            return texts.str.removesuffix(" 00:00:00").astype(object)

    return pd.DataFrame({name: column(rows[name]) for name in rows}).reset_index(drop=True)


def in_order(rows):
    """Rows sorted by all they hold."""
    if not len(rows.columns):
        return rows
    keys = pd.DataFrame(
        {
            name: rows[name].map(lambda one: f"{one:.6g}" if isinstance(one, float) else one)
            for name in rows
        }
    ).astype(str)
    return rows.loc[keys.sort_values(list(keys), kind="stable").index].reset_index(drop=True)


def drawn(rows, kind, x, y, series=None, title=""):
    """A plain chart of rows, as the recorded one was meant."""
    if kind == "histogram":
        rows[x].plot.hist(bins=20, figsize=(9, 4.5), title=title)
    elif kind == "scatter":
        rows.plot.scatter(x=x, y=y, figsize=(9, 4.5), title=title)
    else:
        wide = rows.pivot_table(index=x, columns=series, values=y, sort=False) if series else rows
        across = {} if series else {"x": x, "y": y}
        how = {"line": "line", "multi_line": "line", "area": "area"}.get(kind, "bar")
        stacked = {"stacked": True} if kind == "stacked_bar" else {}
        axes = wide.plot(kind=how, figsize=(9, 4.5), title=title, **across, **stacked)
        axes.set(xlabel=x, ylabel=y)
    plt.tight_layout()
    plt.show()


def moved(relation, time, segments, before, after, scale, ratio):
    """What each segment of a search was in both periods, computed from the rows themselves.

    Sums of the first period count `scale` times, to be compared with a second of another length.
    """
    seen = []
    for segment in map(json.loads, segments):
        within = (
            " AND ".join(
                f'"{name}" IS NULL'
                if value is None
                else f'CAST("{name}" AS VARCHAR) = ' + "'" + str(value).replace("'", "''") + "'"
                for name, value in segment.items()
            )
            or "TRUE"
        )
        row = []
        for (first, last), times in ((before, scale), (after, 1.0)):
            below = "SUM(assay_denominator)" if ratio else "1"
            one, of = opened.sql(
                f"SELECT SUM(assay_numerator), {below} FROM ({relation}) WHERE {within} "
                f"AND CAST(\"{time}\" AS DATE) BETWEEN DATE '{first}' AND DATE '{last}'"
            ).fetchone()
            row.append((one or 0.0) / of if ratio else (one or 0.0) * times)
        seen.append(row)
    return pd.DataFrame(seen, columns=["baseline", "comparison"])


def bundled(bundle, sha256, member):
    """The rows of a frame, counted from 1 as in the text, from the bundle that proves them.

    Raise AssertionError where the bundle is not the one that was published.
    """
    import hashlib
    import zipfile

    from pyarrow import ipc

    found = hashlib.sha256(bundle.read_bytes()).hexdigest()
    assert found == sha256, f"{bundle} is not the bundle that was published: SHA-256 {found}"
    with zipfile.ZipFile(bundle) as members, members.open(member) as file:
        rows = ipc.open_stream(file).read_all().to_pandas()
    return rows.set_axis(range(1, len(rows) + 1))
