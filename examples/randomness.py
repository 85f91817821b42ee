"""Where the example data's chance comes from: one seed, one stream for each part of the story."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEED = 20240101


class Stream(IntEnum):
    """The parts that draw at random; a change to one does not reshuffle the others."""

    CUSTOMERS = 1
    DEMAND = 2
    BASKETS = 3
    FAULT = 4
    PROMOTION = 5
    PROMOTION_ORDERS = 6
    NUMBERING = 7
    RETURNS = 8


def generator(stream: Stream) -> np.random.Generator:
    """A fresh generator that yields the same numbers on every run."""
    return np.random.default_rng([SEED, stream])


def draw_by_share(
    random: np.random.Generator, shares: Mapping[Any, float], count: int
) -> NDArray[Any]:
    """`count` keys of `shares`, each drawn with its share; the shares add up to 1."""
    return random.choice(np.array(list(shares)), size=count, p=list(shares.values()))
