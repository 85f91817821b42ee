"""Settings of the planner, from ASSAY_* and ASSAY_PLANNER_* variables."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import SettingsConfigDict

from mesh.config import DatabaseAddress, MeshSettings
from mesh.policy import Disclosure
from services.planner.domain.request import MAX_TIMEOUT_SECONDS, Constraints


@dataclass(frozen=True)
class ModelPlace:
    """A model and where it is. `variable` begins the names of its settings."""

    name: str
    base_url: str
    key: SecretStr
    key_file: Path | None
    variable: str = "ASSAY_LLM"

    @property
    def family(self) -> str:
        """Which language it speaks, or whose it is."""
        return self.name.partition(":")[0]


class LanguageModelSettings(MeshSettings):
    """Which language model may decide what the rules are not sure of, and what it may take."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_", frozen=True, extra="ignore")

    llm: str = ""
    """`openai:<model>`, `anthropic:<model>` or `google:<model>`; empty for none."""

    llm_base_url: str = ""
    """Where the endpoint is, when that is not the provider's own; no user, password or query in
    it, because addresses are logged."""

    llm_key: SecretStr = SecretStr("")
    """Its key; else that of `llm_key_file`, else the provider's own variable, OPENAI_API_KEY,
    ANTHROPIC_API_KEY or GEMINI_API_KEY."""

    llm_key_file: Path | None = None
    """A file that holds the key and nothing else."""

    llm_fallback: str = ""
    """A model that is asked where the first is away, over its quota, slow or of no use."""

    llm_fallback_base_url: str = ""
    """Like `llm_base_url`."""

    llm_fallback_key: SecretStr = SecretStr("")
    """Like `llm_key`."""

    llm_fallback_key_file: Path | None = None
    """Like `llm_key_file`."""

    llm_output: Literal["tool", "native", "prompted"] = "tool"
    """How the answer's form is asked for: a tool call, the endpoint's JSON schema, or words."""

    llm_seconds: float = Field(default=120.0, gt=0)
    """Longest that one decision waits for the model, retries included: models that reason take
    tens of seconds. A question without a time limit of its own gets that much more."""

    llm_request_seconds: float = Field(default=120.0, gt=0)
    """Longest that one request to the model may take."""

    llm_prompt_tokens: int = Field(default=8_000, ge=1_000)
    """Most tokens of a prompt, estimated; what is least relevant is left out."""

    llm_answer_tokens: int = Field(default=16_000, ge=256)
    """Most tokens the model may answer with, those of its reasoning included."""

    llm_disclosure: Disclosure = Disclosure.SHAPES
    """Most that a model may be told of the data (`mesh.policy.Disclosure`); a request may lower
    it."""

    llm_lookups: int = Field(default=4, ge=0, le=20)
    """How often a model may look something up before it answers a question; only with
    `llm_output` tool, because endpoints that need another seldom know functions."""

    llm_job_tokens: int = Field(default=200_000, ge=0)
    """Tokens after which a job asks no model any more; 0 for no limit."""

    llm_day_tokens: int = Field(default=5_000_000, ge=0)
    """Tokens after which no job asks a model that day (UTC); 0 for no limit."""

    llm_job_cost: float = Field(default=0.0, ge=0)
    """Like `llm_job_tokens` in money, where the model's price is known; 0 for no limit."""

    llm_day_cost: float = Field(default=0.0, ge=0)
    """Like `llm_day_tokens` in money, where the model's price is known; 0 for no limit."""

    llm_prices: dict[str, tuple[float, float]] = Field(default_factory=dict)
    """Price of a million tokens in and out by model, as JSON; cost is not stated without."""

    llm_currency: str = "USD"
    """What prices are in."""

    llm_samples: int = Field(default=2, ge=1, le=2)
    """How many independent proposals of the model there may be for one decision: with 2 it is asked
    a second time where that could make sure what stands alone."""

    llm_failures: int = Field(default=3, ge=1)
    """Failed decisions in a row after which the model is not asked for a while."""

    llm_rest_seconds: float = Field(default=30.0, gt=0)
    """How long a model that failed is not asked, before it is tried again."""

    llm_tools: str = "sql.run,df.transform,stats.test,plot.render,profiler.analyze"
    """Tools that a model's plan may use, separated by commas; others do not exist for it. Never
    domain.call: a model that obeys what a cell says would send data elsewhere with it."""

    llm_trace_content: bool = False
    """Whether traces hold prompts and answers, and with them what the data holds."""

    @property
    def answer_seconds(self) -> float:
        """How long a question may take that says nothing of it."""
        usual = Constraints().timeout_seconds
        return min(usual + self.llm_seconds, MAX_TIMEOUT_SECONDS) if self.llm else usual

    @property
    def places(self) -> tuple[ModelPlace, ...]:
        """The models that may be asked, the first first."""
        first = ModelPlace(self.llm, self.llm_base_url, self.llm_key, self.llm_key_file)
        if not self.llm_fallback:
            return (first,)
        second = ModelPlace(
            self.llm_fallback,
            self.llm_fallback_base_url,
            self.llm_fallback_key,
            self.llm_fallback_key_file,
            "ASSAY_LLM_FALLBACK",
        )
        return first, second

    @field_validator("llm", "llm_fallback")
    @classmethod
    def _names_a_model(cls, given: str) -> str:
        if given and not re.fullmatch(r"(openai|anthropic|google):[^\s,]+", given):
            raise ValueError("must be openai:<model>, anthropic:<model> or google:<model>")
        return given

    @field_validator("llm_tools")
    @classmethod
    def _sends_nothing_elsewhere(cls, given: str) -> str:
        if "domain.call" in (name.strip() for name in given.split(",")):
            raise ValueError("must not name domain.call, by which data can be sent elsewhere")
        return given

    @field_validator("llm_base_url", "llm_fallback_base_url")
    @classmethod
    def _holds_no_secret(cls, given: str) -> str:
        if given and not re.fullmatch(r"https?://[^\s@?#]+", given):
            raise ValueError(
                "must be an address like http://127.0.0.1:11434/v1, without user, password or "
                "query: the key goes into ASSAY_LLM_KEY"
            )
        return given

    @model_validator(mode="after")
    def _prices_within_budgets(self) -> Self:
        limited = self.llm_job_cost or self.llm_day_cost
        for name in (self.llm, self.llm_fallback):
            if name and limited and name not in self.llm_prices:
                raise ValueError(
                    f"ASSAY_LLM_PRICES must hold the price of {name}, because its cost is limited"
                )
        return self

    @model_validator(mode="after")
    def _falls_back_on_another(self) -> Self:
        if self.llm_fallback and not self.llm:
            raise ValueError("ASSAY_LLM_FALLBACK is set, but ASSAY_LLM is not")
        other = (self.llm_fallback, self.llm_fallback_base_url)
        if self.llm and other == (self.llm, self.llm_base_url):
            raise ValueError("ASSAY_LLM_FALLBACK must be another model than ASSAY_LLM")
        return self


class PlannerSettings(LanguageModelSettings):
    """Where jobs are kept and how much runs at once."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_", frozen=True, extra="ignore")

    planner_database: DatabaseAddress = Field(default="", repr=False)
    """Its URL; empty means SQLite in the home folder."""

    planner_parallel_steps: int = Field(default=4, ge=1)
    """Most steps of one job that run at the same time."""

    planner_jobs_at_once: int = Field(default_factory=lambda: 2 * (os.cpu_count() or 2), ge=1)
    """Most jobs that this planner works on at the same time."""

    planner_queue_jobs: int = Field(default=200, ge=1)
    """Most jobs that wait for their turn, for all planners on one database; more are refused."""

    planner_queue_tenant_share: float = Field(default=0.5, gt=0, le=1)
    """Which part of the waiting jobs may be one user's."""

    planner_wait_seconds: float = Field(default=120.0, gt=0)
    """How long a job may wait for its turn before it is ended without being begun."""

    planner_turn_seconds: float = Field(default=60.0, gt=5)
    """The longest that a turn of a conversation takes: what has not ended by then is told as it
    stands, and goes on (seed 003)."""

    planner_call_seconds: float = Field(default=50.0, gt=0, le=180)
    """The longest that an analysis of a conversation may take (seed 003)."""

    planner_suggest_seconds: float = Field(default=3.0, ge=0)
    """How long an answer waits for suggestions of what to say next to be planned."""

    planner_recall_seconds: float = Field(default=3.0, gt=0)
    """How long a job waits for memory before it goes on without."""

    planner_meaning_seconds: float = Field(default=5.0, gt=0)
    """How long a question waits for memory to tell what its unknown words mean."""

    planner_probe_seconds: float = Field(default=2.0, gt=0, le=10)
    """How long the readings of a question are tried on the data. On a busy machine fewer are tried
    in that time, and the answer is told as less sure."""

    planner_recall_failures: int = Field(default=3, ge=1)
    """Failures of memory in a row after which jobs do not ask it for a while."""

    planner_recall_rest_seconds: float = Field(default=10.0, gt=0)
    """How long jobs do not ask a memory that failed, before one of them tries again."""

    planner_lease_seconds: float = Field(default=3.0, gt=0)
    """How long a planner holds a job without renewing; after that another may take it."""

    planner_renew_seconds: float = Field(default=1.0, gt=0)
    """How often a planner renews what it holds; well below the lease."""

    planner_look_seconds: float = Field(default=0.5, gt=0)
    """How often a planner looks for jobs that nobody works on, or that were asked to stop."""

    @model_validator(mode="after")
    def _renewed_in_time(self) -> PlannerSettings:
        if self.planner_renew_seconds * 2 > self.planner_lease_seconds:
            raise ValueError(
                "ASSAY_PLANNER_RENEW_SECONDS must be at most half of ASSAY_PLANNER_LEASE_SECONDS"
            )
        return self

    def database_url(self) -> str:
        """The database to open."""
        if self.planner_database:
            return self.planner_database
        return f"sqlite:///{self.folder('planner') / 'planner.sqlite'}"
