"""The plan while it runs: what is shown where no step runs and a language model thinks."""

from __future__ import annotations

from rich.console import Console

from assay.common.v1 import job_pb2
from clients.python.cli.progress import PlanView


def shown(view: PlanView) -> str:
    console = Console(width=100, color_system=None)
    with console.capture() as captured:
        console.print(view)
    return captured.get()


def test_a_model_that_thinks_between_steps_is_told_until_the_job_goes_on() -> None:
    view = PlanView(clock=lambda: 0.0)
    done = job_pb2.Step(task_id="data", tool_name="causal.load", state=job_pb2.STEP_STATE_DONE)
    view.take(job_pb2.JobEvent(step=done))
    thinking = job_pb2.JobProgress(reason="the model is thinking: 120 tokens, 3 s")
    view.take(job_pb2.JobEvent(progress=thinking))
    assert "causal.load" in shown(view) and "the model is thinking: 120 tokens, 3 s" in shown(view)

    running = job_pb2.Step(
        task_id="p", tool_name="causal.profile", state=job_pb2.STEP_STATE_RUNNING
    )
    view.take(job_pb2.JobEvent(step=running))
    assert "thinking" not in shown(view)
