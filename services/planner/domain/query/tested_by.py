"""How `stats.test` is to test: what a question of one sentence and an analysis of several share."""

from __future__ import annotations

from typing import Any

from services.planner.domain.catalogue import Frozen


class TestSettings(Frozen):
    """The arguments of `stats.test` that name no column; what is not said is left to the tool.

    A model is tested on the share of rows `held_out`: those that `seed` picks, or the last.
    """

    __test__ = False  # no test case, whatever its name says

    method: str = ""
    expected: float | None = None
    threshold: float | None = None
    ddof: int | None = None
    equal_variances: bool = False
    confidence: float | None = None
    held_out: float | None = None
    seed: int | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """Those that are said, by the name of the argument."""
        values = {name: getattr(self, name) for name in TestSettings.model_fields}
        missing = {name: field.default for name, field in TestSettings.model_fields.items()}
        return {name: value for name, value in values.items() if value != missing[name]}
