"""What a session is set to before anything is read, and how long its statements may take."""

from __future__ import annotations

_MODES = (
    # Quotes and `||` as in the standard, a backslash is a sign like any other, and nothing is made
    # to fit in silence: what cannot be computed is an error or at least a warning.
    "ANSI_QUOTES",
    "PIPES_AS_CONCAT",
    "NO_BACKSLASH_ESCAPES",
    "STRICT_ALL_TABLES",
    "ERROR_FOR_DIVISION_BY_ZERO",
    "NO_UNSIGNED_SUBTRACTION",
)
SETTINGS = {
    "sql_mode": f"'{','.join(_MODES)}'",
    "time_zone": "'+00:00'",
    "lc_time_names": "'en_US'",
    "group_concat_max_len": str(1 << 30),
    "lock_wait_timeout": "5",
    "max_sort_length": str(1 << 16),  # of texts that are ordered, in bytes
    "sort_buffer_size": str(16 << 20),
    "div_precision_increment": "30",
}
"""Names and values of the session's variables."""


def collation_of(*, is_mariadb: bool) -> str:
    """The collation that compares texts by their bytes, blanks at their end among them."""
    return "utf8mb4_nopad_bin" if is_mariadb else "utf8mb4_0900_bin"


def limited_to(seconds: float, *, is_mariadb: bool) -> str:
    """The statement that lets those after it take at most so long."""
    if is_mariadb:
        return f"SET SESSION max_statement_time = {seconds:.3f}"
    return f"SET SESSION max_execution_time = {int(seconds * 1000)}"
