"""What is remembered of an investigation, for questions about it later (seed 002)."""

from __future__ import annotations

from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.investigation.result import InvestigationResult
from services.planner.domain.investigation.wording import called, counted, days_called


def memory_document(request: InvestigationRequest, result: InvestigationResult, report: str) -> str:
    """Context, data model, hypotheses with their outcomes, findings, report and conclusions."""
    model, ground = result.data_model, result.ground
    metric = called(ground)
    both = (("Baseline", ground.baseline), ("Comparison", ground.comparison))
    periods = [(name, period) for name, period in both if period is not None]
    leaf = ground.leaf
    columns = ", ".join(leaf.named.values()) if leaf else ""
    parts = [
        ("Investigation", request.question),
        ("Metric", metric if metric == ground.metric else f"{metric}: {ground.metric}"),
        *((name, f"{days_called(period)} ({period})") for name, period in periods),
        ("Columns of actual and forecast values", columns),
        ("Business context", request.business_context),
        ("Focus", request.investigation_prompt),
        ("Answer", result.text),
        ("Tables", "\n".join(f"{t.name}: {counted(t.row_count, 'row')}" for t in model.tables)),
        ("Dimensions", ", ".join(model.recommended_dimensions)),
        (
            "Hypotheses",
            "\n".join(f"{h.hypothesis_id} {h.title}: {h.status.value}" for h in result.hypotheses),
        ),
        (
            "Findings",
            "\n".join(f"{f.finding_id} {f.summary}" for f in result.ledger.findings),
        ),
        (
            "Conclusions",
            "\n".join(
                f"{e.rank}. {e.likelihood.value}: {e.title}. {e.reasoning}"
                for e in result.explanations
            )
            or "Nothing stands out of chance.",
        ),
        ("Report", report),
    ]
    return "\n\n".join(f"# {name}\n{text}" for name, text in parts if text)
