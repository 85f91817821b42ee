"""All kinds of doubts; a new one is a file beside its neighbours and a line here."""

from __future__ import annotations

from services.executor.doubts.dates import CENTURIES, DATE_ORDERS
from services.executor.doubts.day_numbers import DAY_NUMBERS
from services.executor.doubts.decimal_marks import DECIMAL_MARKS
from services.executor.doubts.durations import DURATIONS
from services.executor.doubts.group_titles import GROUP_TITLES
from services.executor.doubts.keys import KEYS
from services.executor.doubts.labels_once import LABELS_ONCE
from services.executor.doubts.lists import LISTS
from services.executor.doubts.magnitudes import MAGNITUDES
from services.executor.doubts.missing_marks import MISSING_MARKS
from services.executor.doubts.number_texts import NUMBER_TEXTS
from services.executor.doubts.of_readers import OF_READERS
from services.executor.doubts.seen import Kind
from services.executor.doubts.sentinels import SENTINELS
from services.executor.doubts.since_1970 import SINCE_1970
from services.executor.doubts.spellings import SPELLINGS
from services.executor.doubts.totals import TOTALS
from services.executor.doubts.units import UNITS
from services.executor.doubts.zones import ZONES

KINDS: tuple[Kind, ...] = (
    SENTINELS,
    ZONES,
    DATE_ORDERS,
    CENTURIES,
    DECIMAL_MARKS,
    TOTALS,
    LABELS_ONCE,
    GROUP_TITLES,
    DAY_NUMBERS,
    SINCE_1970,
    DURATIONS,
    MAGNITUDES,
    SPELLINGS,
    UNITS,
    NUMBER_TEXTS,
    LISTS,
    MISSING_MARKS,
    KEYS,
    *OF_READERS,
)
