"""Whether a reading is drawn as the words on chart, axes and series say."""

from __future__ import annotations

from services.planner.domain.query.kinds import ChartType
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Sketch
from services.planner.domain.reader.choice.candidate import Weighed
from services.planner.domain.reader.grammar import chart_words
from services.planner.domain.semantics.kinds import Kind


def drawn(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    """Whether it is the share, the kind of chart and the axes that are spoken of."""
    scene, shares = weighed.scene, weighed.requirements.shares
    if not scene.charted:
        ratios = bool(weighed.requirements.ratios)
        return {
            "share said": shares and bool(sketch.share),
            "share missed": shares and not sketch.share,
            "ratio said": bool(sketch.ratio),
            "ratio missed": ratios and not sketch.ratio,
        }
    axes = {cue.means: cue for cue in scene.words.find(chart_words.AXES)}
    found = _kind_of_chart(scene, sketch, in_series="series" in axes)
    found["share said"] = shares and bool(sketch.share)
    for name, cue in axes.items():
        at = cue.slot("word")
        intended = {m.place.index for m in scene.mentions if m.first == at and m.coverage > 0.6}
        if intended:
            met = bool(intended & set(_along(sketch, name)))
            found |= {f"{name} met": met, f"{name} missed": not met}
    return found


def _kind_of_chart(scene: Scene, sketch: Sketch, *, in_series: bool) -> dict[str, float]:
    kinds = {cue.means for cue in scene.words.find(chart_words.KINDS)}
    stacked = bool(kinds & {ChartType.STACKED_BAR, ChartType.MULTI_LINE})
    scatter = ChartType.SCATTER in kinds
    raw = any(n.aggregate is None for n in sketch.numbers)
    counts = any(n.place is None for n in sketch.numbers)
    two, series = len(sketch.numbers) == 2, sketch.series
    of_time = bool(sketch.shown) and (
        sketch.shown[0].time or sketch.shown[0].kind is Kind.DATE_PART
    )
    return {
        "stacked met": stacked and series,
        "stacked missed": stacked and not series,
        "series said": in_series and series,
        "series missed": in_series and not series,
        "series unsaid": series and not stacked and not in_series,
        "scatter of counts": scatter and counts,
        "scatter of values": scatter and raw,
        "scatter of two": scatter and two,
        "values unsaid": raw and not scatter,
        "two numbers": two,
        "no axis": not sketch.shown,
        "line not of time": ChartType.LINE in kinds and bool(sketch.shown) and not of_time,
    }


def _along(sketch: Sketch, axis: str) -> list[int]:
    """The columns along the x axis, along the y axis, or in series."""
    shown = [place.index for place in sketch.shown]
    if axis == "y":
        return [n.place.index for n in sketch.numbers if n.place is not None]
    if axis == "x":
        return shown[:1]
    return shown[-1:] if sketch.series else []
