"""A search without a tenant cannot be written."""

from __future__ import annotations

import inspect

import pytest

from services.memory.adapters.qdrant_edge import EdgeVectorStore
from services.memory.adapters.qdrant_served import ServedVectorStore
from services.memory.ports import VectorStore

WITHOUT_POINTS = {"open", "at", "close"}


@pytest.mark.parametrize("store", [VectorStore, EdgeVectorStore, ServedVectorStore])
def test_every_method_that_touches_points_takes_the_tenant_first_and_without_default(
    store: type,
) -> None:
    methods = {
        name: inspect.signature(method)
        for name, method in inspect.getmembers(store, inspect.isfunction)
        if not name.startswith("_") and name not in WITHOUT_POINTS
    }
    assert set(methods) == {"upsert", "search", "get", "scroll", "delete", "count"}
    for name, signature in methods.items():
        first = list(signature.parameters.values())[1]
        assert first.name == "tenant", name
        assert first.default is inspect.Parameter.empty, name
