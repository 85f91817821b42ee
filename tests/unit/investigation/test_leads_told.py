"""What came of a model's suggestions to an investigation, as its report and caveats tell it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from services.planner.domain.investigation.hypothesis import Hypothesis, HypothesisStatus
from services.planner.domain.investigation.leads import describe_leads, supposed_of
from services.planner.domain.investigation.proceedings import settled
from services.planner.domain.investigation.state import Investigation
from services.planner.domain.suggestions import Suggestion, Suggestions

MODEL = "openai:scripted"
NOW = datetime(2024, 4, 1, tzinfo=UTC)


def hypothesis(number: int, name: str, status: HypothesisStatus, **more: Any) -> Hypothesis:
    return Hypothesis(
        hypothesis_id=f"hyp_00{number}",
        title=f"It depends on {name}",
        causal_story="",
        dimensions=(name,),
        expected_pattern="",
        priority=5,
        status=status,
        created_at=NOW,
        **more,
    )


def test_what_came_of_each_is_told() -> None:
    names = ("region", "channel", "city", "colour", "note")
    given = Suggestions(
        by=MODEL,
        suggestions=tuple(Suggestion(kind="dimension", table="orders", column=n) for n in names),
    ).placed({f"orders.{name}": name for name in names[:4]})
    hypotheses = (
        hypothesis(1, "region", HypothesisStatus.CONFIRMED),
        hypothesis(2, "channel", HypothesisStatus.RULED_OUT),
        hypothesis(3, "city", HypothesisStatus.PENDING),
    )

    assert describe_leads(given, hypotheses) == (
        f"Supposed by {MODEL}, and measured like every other split: region is borne out by the "
        "data; channel is not supported by the data; city, colour were not tried by themselves; "
        "note does not split these rows.",
    )
    assert describe_leads(None, hypotheses) == ()


def test_what_a_model_supposes_happened_is_told_as_its_own_beside_what_the_data_say() -> None:
    story = "A campaign for web orders ended"
    given = Suggestions(
        by=MODEL,
        suggestions=(
            Suggestion(kind="dimension", table="orders", column="channel"),
            Suggestion(kind="hypothesis", table="orders", column="channel", because=story),
        ),
    ).placed({"orders.channel": "channel"})
    assert supposed_of(given) == {"channel": story}

    own = hypothesis(1, "channel", HypothesisStatus.RULED_OUT, made_by=MODEL, supposed=story)
    ours = hypothesis(2, "region", HypothesisStatus.RULED_OUT)
    [(heading, lines)] = settled(Investigation(hypotheses=(own, ours)))
    assert heading == "Ruled out:"
    assert (
        f"{MODEL} named it and supposes, which these data do not show: “{story}”." in lines[0].plain
    )
    assert "supposes" not in lines[1].plain
