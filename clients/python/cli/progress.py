"""The plan while it runs: a tree that changes in place, or a line a step when it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from assay.common.v1.analysis_pb2 import Plan
from assay.common.v1.job_pb2 import JobEvent, Step, StepState
from clients.python.cli.screen import labelled
from clients.python.cli.words import count, duration, ordinal

_FINAL = {StepState.STEP_STATE_DONE, StepState.STEP_STATE_FAILED, StepState.STEP_STATE_SKIPPED}
_RUNNING = {StepState.STEP_STATE_RUNNING, StepState.STEP_STATE_REPAIRING}
_MARKS = {
    StepState.STEP_STATE_DONE: ("✔", "green"),
    StepState.STEP_STATE_REPAIRING: ("↻", "yellow"),
    StepState.STEP_STATE_RUNNING: ("▸", "cyan"),
    StepState.STEP_STATE_FAILED: ("✘", "red"),
    StepState.STEP_STATE_SKIPPED: ("–", "dim"),
}
_NARROWEST_OUTCOME = 26  # so that a plan that runs does not change its width
_NARROWEST_ALONE = 32  # so that lines printed one by one still line up
_WIDEST_OUTCOME = 44


class Fitting:
    """The first of some texts whose lines fit where they are printed; else the last."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self._texts = texts

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The one that fits."""
        widths = (max(map(cell_len, text.plain.split("\n"))) for text in self._texts)
        pairs = zip(self._texts, widths, strict=True)
        yield next((text for text, width in pairs if width <= options.max_width), self._texts[-1])


class PlanView:
    """The steps of a job as they stand, kept up to date by its events.

    `clock` gives seconds; a running step shows the time since its first running event.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began: dict[str, float] = {}
        self._repairs: dict[str, list[str]] = {}
        self._spinner = Spinner("dots", style="cyan")
        self.steps: dict[str, Step] = {}
        self.place = ""
        """Where the job stands while no step runs: waiting for its turn, or a model thinks."""

    def planned(self, plan: Plan) -> None:
        """Begin with every step of the plan waiting."""
        for subtask in plan.subtasks:
            self.steps.setdefault(
                subtask.task_id,
                Step(
                    task_id=subtask.task_id,
                    description=subtask.description,
                    tool_name=subtask.tool_name,
                    state=StepState.STEP_STATE_WAITING,
                ),
            )

    def changed(self, step: Step) -> bool:
        """Take a step's new state; whether the step ended by it."""
        before = self.steps.get(step.task_id)
        self.steps[step.task_id] = step
        self._began.setdefault(step.task_id, self._clock())
        repaired = step.state == StepState.STEP_STATE_DONE and step.attempt > 1
        if (repaired or step.state == StepState.STEP_STATE_REPAIRING) and step.detail:
            repairs = self._repairs.setdefault(step.task_id, [])
            if step.detail not in repairs:
                repairs.append(step.detail)
        return step.state in _FINAL and (before is None or before.state not in _FINAL)

    def take(self, event: JobEvent) -> bool:
        """Take an event of any kind; whether a step ended by it."""
        kind = event.WhichOneof("event")
        if kind == "progress":
            self.place = event.progress.reason
        elif kind is not None:
            self.place = ""
        if kind == "plan":
            self.planned(event.plan)
        return kind == "step" and self.changed(event.step)

    @property
    def done(self) -> int:
        """Steps that ended well."""
        return sum(step.state == StepState.STEP_STATE_DONE for step in self.steps.values())

    def __rich__(self) -> Table:
        """The whole plan, beside its label."""
        if not self.steps:
            return labelled("", self._thinking())
        lines = self.lines(self.steps.values())
        running = any(step.state in _RUNNING for step in self.steps.values())
        if running or not self.place:
            return labelled("plan", lines)
        return labelled("plan", Group(lines, self._thinking()))

    def lines(self, steps: Collection[Step]) -> Fitting:
        """Some of the steps, a line each, with their repairs and failures below them.

        Where the lines are wider than the screen the names of tools are left out.
        """
        return Fitting((self._lines(steps, tools=True), self._lines(steps, tools=False)))

    def _lines(self, steps: Collection[Step], *, tools: bool) -> Text:
        every = self.steps.values()
        task_width = max((len(step.task_id) for step in every), default=0)
        tool_width = max((len(step.tool_name) for step in every), default=0)
        outcome_width = max(len(outcome(step)) for step in steps)
        least = _NARROWEST_OUTCOME if len(steps) == len(every) else _NARROWEST_ALONE
        outcome_width = min(max(outcome_width, least), _WIDEST_OUTCOME)
        outcome_width = outcome_width if tools else _NARROWEST_OUTCOME
        lines = []
        for step in steps:
            mark, style = self._mark(step)
            quiet = "" if step.state in _FINAL | _RUNNING else "dim"
            lines.append(
                Text.assemble(
                    (f"{mark} ", style),
                    (f"{step.task_id:<{task_width}}  ", quiet),
                    (f"{step.tool_name:<{tool_width}}  " if tools else "", quiet or "cyan"),
                    (f"{_cut(outcome(step), outcome_width):<{outcome_width}}  ", quiet),
                    (f"{self._took(step):>7}", "dim"),
                )
            )
            lines += [Text("  ").append(note) for note in self._notes(step)]
        return Text("\n").join(lines)

    def _mark(self, step: Step) -> tuple[str, str]:
        if step.state == StepState.STEP_STATE_RUNNING:
            frame = self._spinner.render(self._clock())
            return str(frame), "cyan"
        return _MARKS.get(step.state, ("·", "dim"))

    def _notes(self, step: Step) -> list[Text]:
        """What is worth a line of its own: the change before each further try, and what failed."""
        repairs = enumerate(self._repairs.get(step.task_id, ()), start=2)
        notes = [Text(f"↻ {ordinal(number)} try: {text}", "yellow") for number, text in repairs]
        if step.state == StepState.STEP_STATE_FAILED and step.detail:
            notes.append(Text(step.detail, "red"))
        return notes

    def _took(self, step: Step) -> str:
        if step.state in _RUNNING:
            return duration(self._clock() - self._began[step.task_id])
        if step.state in (StepState.STEP_STATE_WAITING, StepState.STEP_STATE_SKIPPED):
            return ""
        return duration(step.elapsed.ToTimedelta().total_seconds())

    def _thinking(self) -> Table:
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_row(self._spinner, Text(self.place or "reading the data and the question…", "dim"))
        return grid


def outcome(step: Step) -> str:
    """What a step gave, in a few words: its frame's shape, its file, or why it has none."""
    if step.state == StepState.STEP_STATE_WAITING:
        return "waiting"
    if step.state == StepState.STEP_STATE_SKIPPED:
        return f"skipped: {step.detail}" if step.detail else "skipped"
    if step.state == StepState.STEP_STATE_DONE and step.HasField("rows"):
        return f"{count(step.rows, 'row')} × {step.columns:,}"
    if step.state == StepState.STEP_STATE_REPAIRING:
        return "trying again"
    if step.state == StepState.STEP_STATE_FAILED:
        return "failed"
    if step.state == StepState.STEP_STATE_DONE and step.attempt > 1:
        return ""  # its detail is the repair, which has a line of its own
    return step.detail


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
