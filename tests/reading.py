"""The processes that read sources for all tests of a process: one start, and its imports, for all.

They read with the limits that services have; a test of other limits makes its own.
"""

from __future__ import annotations

from services.executor.sources.processes import reader_processes

READERS = reader_processes()
