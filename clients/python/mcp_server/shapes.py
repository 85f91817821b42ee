"""What tools take and give, as types; their schemas are what a model reads, and so are short."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, get_origin

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator

MOST_ROWS = 200
_CONSTRAINTS = (
    "additionalProperties",
    "maxItems",
    "maxLength",
    "minLength",
    "pattern",
    "title",
)
_ANNOUNCED = frozenset(
    {
        "doubts",
        "answer",
        "options",
        "table",
        "conversation",
        "job",
        "ok",
        "names",
        "tables",
        "frame",
        "failures",
        "rows",
        "total_rows",
        "not_checked",
    }
)
Data = Annotated[list[str], Field(description="Names from look; [] = all offered.", max_length=20)]
JobId = Annotated[
    str,
    Field(description="A `job` or `frame`.", pattern="^(f[1-9][0-9]{0,5}|[0-9a-fA-F-]{4,36})$"),
]
Words = Annotated[str, Field(max_length=2_000)]
Declared = Annotated[str, Field(max_length=500)]


class Arguments(BaseModel):
    """Arguments of a tool: what it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


class AskArguments(Arguments):
    """Of `ask`."""

    question: Annotated[Words, Field(min_length=1)]
    data: Data = []


class Means(Arguments):
    """What a statement is declared to mean."""

    metric: Declared = ""
    by: Annotated[list[Declared], Field(max_length=20)] = []
    filter: Annotated[list[Declared], Field(max_length=20)] = []
    time: Declared = ""
    period: Declared = ""
    grain: Declared = ""


class QueryArguments(Arguments):
    """Of `query`."""

    sql: Annotated[
        str,
        Field(description="One SELECT in DuckDB's dialect; may read frames.", max_length=50_000),
    ]
    means: Annotated[
        Means | None,
        WithJsonSchema(
            {
                "type": "object",
                "description": "In exact names: metric (declared, or sum(t.x * t.y)), by [t.col], "
                "filter [SQL], time (t.col), period (1997, 1997-03, START..END), grain (month).",
            }
        ),
    ] = None
    data: Data = []


class TestedColumns(Arguments):
    """What a test is of beside its outcome, in names of columns."""

    __test__ = False  # no test case, whatever its name says

    by: Declared = ""
    groups: Annotated[list[Declared], Field(max_length=20)] = []
    predictors: Annotated[list[Declared], Field(max_length=20)] = []
    cluster: Declared = ""
    time: Declared = ""
    steps: Annotated[int, Field(ge=0, le=60)] = 0
    period: Declared = ""


class TestArguments(Arguments):
    """Of `test`."""

    __test__ = False  # no test case, whatever its name says

    rows: Annotated[str, Field(description="A frame, or one SELECT.", max_length=50_000)]
    kind: Literal["compare", "regress", "cohort", "backtest", "forecast"]
    outcome: Annotated[Declared, Field(description="A column; of a cohort the first day.")]
    of: Annotated[
        TestedColumns | None,
        WithJsonSchema(
            {
                "type": "object",
                "description": "Columns: by (groups; a backtest's rule), groups [values], "
                "predictors [], cluster, time (a cohort's last day), steps, period (START..END).",
            }
        ),
    ] = None
    data: Data = []


class ChartArguments(Arguments):
    """Of `chart`."""

    rows: Annotated[str, Field(description="A frame, or one SELECT.", max_length=50_000)]
    kind: Literal["bar", "line", "area", "scatter", "histogram", "box", "heatmap", "pie"]
    x: Declared
    y: Declared = ""
    series: Declared = ""
    title: Declared = ""
    data: Data = []


class CheckArguments(Arguments):
    """Of `check`."""

    text: Annotated[str, Field(max_length=200_000)]


class PublishArguments(Arguments):
    """Of `publish`."""

    text: Annotated[str, Field(max_length=200_000)]
    title: Annotated[str, Field(max_length=200)] = ""


class DefineArguments(Arguments):
    """Of `define`."""

    model: Annotated[
        str,
        Field(
            description="YAML: tables: {orders: {time: placed_on, metrics: {net: {formula: "
            "price * n, unit: EUR}}, joins: [{to: shops, on: {shop: id}}], columns: {state: "
            "{values: {X: [closed]}}}}}",
            max_length=16_000,
        ),
    ]
    because: Words = ""
    data: Data = []


class FollowUpArguments(Arguments):
    """Of `follow_up`."""

    conversation: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    message: Annotated[Words, Field(min_length=1)]


class WhyArguments(Arguments):
    """Of `why`: a metric with its periods, or a treatment with its outcome."""

    metric: Annotated[Words, Field(description="sum(amount), a metric, a column, or words.")] = ""
    baseline: Annotated[str, Field(description="2024-02, 2024, or START..END.")] = ""
    compare: str = ""
    by: Annotated[list[str], Field(description="Columns to split by.")] = []
    treatment: Annotated[str, Field(description="A column.")] = ""
    outcome: Annotated[str, Field(description="A column.")] = ""
    background: Annotated[bool, Field(description="Return at once; see get_job.")] = False
    data: Data = []

    @property
    def is_causal(self) -> bool:
        """Whether it is about a cause."""
        return bool(self.treatment)

    @model_validator(mode="after")
    def _about_one(self) -> Self:
        """One of the two, whole."""
        moved = (self.metric, self.baseline, self.compare)
        caused = (self.treatment, self.outcome)
        if any(moved) == any(caused) or not (all(moved) or all(caused)):
            raise ValueError("give metric, baseline and compare, or treatment and outcome")
        return self


class VerifyArguments(Arguments):
    """Of `verify`."""

    job: JobId
    recompute: Annotated[bool, Field(description="Also run its calls again.")] = False


class LookArguments(Arguments):
    """Of `look`."""

    data: Annotated[list[str], Field(description="[] tells the names.", max_length=20)] = []
    values: Annotated[
        list[Annotated[str, Field(max_length=200)]],
        Field(description="Words to find in cells.", max_length=20),
    ] = []
    first: Annotated[int, Field(description="Tables to skip.", ge=0)] = 0


class GetJobArguments(Arguments):
    """Of `get_job`."""

    job: JobId
    rows: Annotated[int, Field(ge=0, le=MOST_ROWS)] = 20
    first: Annotated[int, Field(description="Rows to skip.", ge=0)] = 0


class Shape(BaseModel):
    """What a tool gives; what is empty is left out."""

    def object(self) -> dict[str, Any]:
        """As JSON has it, in the order of the fields."""
        content = self.model_dump(mode="json", exclude_defaults=True)
        return {name: value for name, value in content.items() if value not in ("", [])}


class Rows(BaseModel):
    """The first rows of a table, and how many there are in all."""

    columns: list[str]
    rows: list[list[Any]]
    total_rows: int


class Proof(BaseModel):
    """What the record of a job says: whether it holds, its last hash, and that of the table."""

    ok: bool
    entries: int
    head: str
    table: str = ""
    wrong: str = ""


class Answer(Shape):
    """A job as a model is told of it: how sure and with what doubts before any number."""

    state: str
    reading: str = ""
    edit: str = ""
    confidence: str = ""
    because: list[str] = []
    doubts: list[str] = []
    answer: str = ""
    options: list[str] = []
    table: Rows | None = None
    notes: list[str] = []
    suggestions: list[str] = []
    files: list[str] = []
    proof: Proof | None = None
    progress: str = ""
    frame: str = ""
    conversation: str = ""
    job: str = ""


class Queried(Shape):
    """A statement's result: doubts before rows. What was not checked is always there."""

    frame: str
    doubts: list[dict[str, Any]] = []
    twin: str = ""
    columns: list[str]
    rows: list[list[Any]]
    total_rows: int
    not_checked: list[str]

    def object(self) -> dict[str, Any]:
        """As JSON has it: without what is empty, but for what was not checked."""
        return {**super().object(), "not_checked": self.not_checked}


class Tested(Shape):
    """What a test found: doubts before numbers."""

    frame: str
    confidence: str
    doubts: list[dict[str, Any]] = []
    answer: str
    notes: list[str] = []


class Charted(Shape):
    """A chart, whose picture stands beside it."""

    frame: str
    doubts: list[dict[str, Any]] = []
    notes: list[str] = []
    file: str
    picture: Annotated[bytes, Field(exclude=True)] = b""


class Checked(Shape):
    """What a text says that its frames do not bear out."""

    ok: bool
    failures: list[dict[str, Any]] = []
    bound: int = 0


class Defined(Shape):
    """A definition that waits for a person."""

    definition: str
    state: str
    measured: list[str] = []
    changes: list[str] = []


class PublishedPage(Shape):
    """Where a text was published with its proofs, or what in it fails."""

    ok: bool
    failures: list[dict[str, Any]] = []
    page: str = ""
    proof: str = ""
    link: str = ""


class Verified(Shape):
    """What a verification found, up to the first thing that is off."""

    ok: bool
    checks: list[str]
    job: str


class Looked(Shape):
    """What may be named, and what is in those that were looked into."""

    names: list[str]
    doubts: list[str] = []
    tables: list[dict[str, Any]] = []
    more: str = ""
    matches: list[str] = []
    questions: list[str] = []


def short_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a tool's arguments, without what says nothing to a reader.

    Titles repeat names, bounds on lengths are told when they are crossed.
    """
    shortened: dict[str, Any] = _shortened(model.model_json_schema())
    shortened.pop("description", None)
    return shortened


def given_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of what a tool gives: fields that its description needs, with their JSON types.

    Each tool repeats it to every model: what says for itself what it is, is not announced.
    """
    types = {
        name: _json_type(field.annotation)
        for name, field in model.model_fields.items()
        if name in _ANNOUNCED
    }
    return {"type": "object", "properties": {name: {"type": one} for name, one in types.items()}}


def _shortened(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    values = {key: value for key, value in schema.items() if key not in _CONSTRAINTS}
    if "default" in values and values["default"] in ([], "", False, None):
        del values["default"]
    if "properties" in values:
        values["properties"] = {name: _shortened(one) for name, one in values["properties"].items()}
    return values


def _json_type(annotation: Any) -> str:
    kind = get_origin(annotation) or annotation
    known = {str: "string", bool: "boolean", list: "array", int: "integer"}
    return known.get(kind, "object")
