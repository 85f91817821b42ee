"""The databases that several files of questions are asked of."""

from __future__ import annotations

import pytest

from tests.unit.language.everyday_data import (
    exams,
    sales,
    staff,
    subscribers,
    tea_shop,
    voyage,
)
from tests.unit.language.truth_help import Shop, opened


@pytest.fixture(scope="module")
def northwind(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("northwind", tmp_path_factory.mktemp("northwind"))


@pytest.fixture(scope="module")
def chinook(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("chinook", tmp_path_factory.mktemp("chinook"))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return tea_shop(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return staff(tmp_path_factory.mktemp("staff"))


@pytest.fixture(scope="module")
def ship(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return voyage(tmp_path_factory.mktemp("voyage"))


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return exams(tmp_path_factory.mktemp("exams"))


@pytest.fixture(scope="module")
def callers(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return subscribers(tmp_path_factory.mktemp("subscribers"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return sales(tmp_path_factory.mktemp("sales"))
