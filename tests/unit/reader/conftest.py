"""The databases that questions are asked of."""

from __future__ import annotations

import pytest

from tests.unit.language.everyday_data import tea_shop
from tests.unit.language.truth_help import Shop


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return tea_shop(tmp_path_factory.mktemp("shop"))
