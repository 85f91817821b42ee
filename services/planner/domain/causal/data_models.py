"""What is known of the data of a causal job: origin, profile, exploration (seed 001)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from services.planner.domain.catalogue import Frozen

FeatureType = Literal["numeric", "categorical", "binary", "ordinal"]


class DatasetInfo(Frozen):
    """The dataset, with what its metadata tell (Kaggle's, where it has any)."""

    url: str
    name: str | None = None
    local_path: str | None = None
    n_samples: int | None = None
    n_features: int | None = None
    kaggle_description: str | None = None
    kaggle_column_descriptions: dict[str, str] = Field(default_factory=dict)
    kaggle_tags: tuple[str, ...] = ()
    kaggle_domain: str | None = None
    metadata_quality: Literal["high", "medium", "low", "unknown"] = "unknown"


class DataProfile(Frozen):
    """Statistics of every column, and which causal role it may play.

    `numeric_stats` hold mean, std, min and max in the column's own unit; `categorical_stats` how
    many rows have each value.
    """

    n_samples: int
    n_features: int
    feature_names: tuple[str, ...]
    feature_types: dict[str, FeatureType]
    missing_values: dict[str, int]
    numeric_stats: dict[str, dict[str, float]]
    categorical_stats: dict[str, dict[str, int]]
    treatment_candidates: tuple[str, ...] = ()
    outcome_candidates: tuple[str, ...] = ()
    potential_confounders: tuple[str, ...] = ()
    potential_instruments: tuple[str, ...] = ()
    has_time_dimension: bool = False
    time_column: str | None = None
    discontinuity_candidates: tuple[str, ...] = ()


class EDAResult(Frozen):
    """What exploring the data showed. `high_correlations` are pairs with |r| > 0.7; `plot_paths`
    name the artifacts of the plots."""

    correlation_matrix: dict[str, dict[str, float]] = Field(default_factory=dict)
    high_correlations: tuple[dict[str, Any], ...] = ()
    distribution_stats: dict[str, dict[str, Any]] = Field(default_factory=dict)
    outliers: dict[str, dict[str, Any]] = Field(default_factory=dict)
    vif_scores: dict[str, float] = Field(default_factory=dict)
    multicollinearity_warnings: tuple[str, ...] = ()
    covariate_balance: dict[str, dict[str, float]] = Field(default_factory=dict)
    balance_summary: str = ""
    data_quality_score: float = 0.0
    data_quality_issues: tuple[str, ...] = ()
    plot_paths: dict[str, str] = Field(default_factory=dict)
    summary_table: dict[str, dict[str, Any]] = Field(default_factory=dict)
