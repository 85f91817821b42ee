"""All kinds of repairs; a new one is a file beside its neighbours and a line here."""

from __future__ import annotations

from services.executor.repairs.century import CENTURY
from services.executor.repairs.date_order import DATE_ORDER
from services.executor.repairs.day_numbers import DAY_NUMBERS
from services.executor.repairs.duration import DURATION
from services.executor.repairs.fill_down import FILL_DOWN
from services.executor.repairs.headings import HEADINGS
from services.executor.repairs.leave_out import LEAVE_OUT
from services.executor.repairs.lists import LISTS
from services.executor.repairs.magnitudes import MAGNITUDES
from services.executor.repairs.merge import MERGE
from services.executor.repairs.nothing import NOTHING
from services.executor.repairs.number_texts import NUMBER
from services.executor.repairs.one_table import ONE_TABLE
from services.executor.repairs.repair import Kind
from services.executor.repairs.since_1970 import SINCE_1970
from services.executor.repairs.spelled import PLAIN, WHOLE
from services.executor.repairs.split_sheet import SPLIT_SHEET
from services.executor.repairs.units import UNITS
from services.executor.repairs.zone import ZONE

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        NOTHING,
        ZONE,
        DATE_ORDER,
        CENTURY,
        LEAVE_OUT,
        HEADINGS,
        ONE_TABLE,
        FILL_DOWN,
        DAY_NUMBERS,
        SINCE_1970,
        DURATION,
        MAGNITUDES,
        SPLIT_SHEET,
        UNITS,
        NUMBER,
        LISTS,
        MERGE,
        PLAIN,
        WHOLE,
    )
}
