"""Which statistics of a description are asked for, by the names that `stats.test` has for them."""

from __future__ import annotations

FIVE = ("minimum", "lower quartile", "median", "upper quartile", "maximum")


INTERVAL = ("mean", "standard error", "degrees of freedom")


MATRIX = "matrix"
