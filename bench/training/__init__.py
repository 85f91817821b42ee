"""Teaches the reader from questions with the SQL that was meant: `python -m bench.training`."""

import os

# Models are learnt beside each other: threads that wait by spinning would take six times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
