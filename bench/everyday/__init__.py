"""Everyday questions over twenty small datasets, as people ask a colleague for the first time.

`datasets/` makes the tables from seeds, `questions/NAME.json` asks about them. Nobody tuned a
reader to these words, and nobody should: look at failures of `held_out` datasets in figures only.

What counts as right:

- **An answer** is right when it has the rows of `sql` or of any of `also`: the same bag of rows,
  and the same order where `ordered`. Names of columns do not count, nor does their order. Numbers
  agree within a thousandth of their size, so that rounding for people is no error; texts agree
  without regard to case and outer spaces. Two spellings of one value are one value: what counts
  "High" and "high" apart is wrong.
- **"Which X"** wants X; X with its number beside it is as right, and stands in `also`. A share may
  be a fraction or per cent, a month a date, "2024-03" or, within one year, 3 or "March".
- **"How many X" and "X that …"**: the first wants a number; the second may be counted or listed
  where people would take either, and then `also` has both.
- **A measure in another unit** is right only in the unit asked for; where none was asked for, in
  any that `also` has.
- **Gaps** are no values: they count in no average and no share of the known, and a group of what
  is not known may be shown or left out where `also` has both.
- **`expect: "ask"`**: people would honestly differ, and the readings in `also` give different rows.
  Asking back is right; taking one of them is right only with the doubt stated before the number.
- **`expect: "refuse"`**: what was asked for is not in the data. Any number is wrong.
- **"Last year", "now", "older than"** are meant on `TODAY`, after the last of the data.
- **A follow-up** is read after all before it in the same `then`; each has a truth of its own.
"""

from bench.everyday.load import (
    TAGS,
    TODAY,
    Expect,
    Item,
    build,
    conversations,
    held_out,
    load,
    sources,
    truth,
)

__all__ = [
    "TAGS",
    "TODAY",
    "Expect",
    "Item",
    "build",
    "conversations",
    "held_out",
    "load",
    "sources",
    "truth",
]
