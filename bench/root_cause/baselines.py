"""The methods of the field that Assay is measured against, by name."""

from __future__ import annotations

from bench.root_cause.adtributor import Adtributor, RecursiveAdtributor
from bench.root_cause.cases import Finder
from bench.root_cause.impact import Impact
from bench.root_cause.riskloc import RiskLoc

BASELINES: dict[str, Finder] = {
    "impact": Impact(1),
    "impact, first three": Impact(3),
    "Adtributor": Adtributor(),
    "recursive Adtributor": RecursiveAdtributor(),
    "RiskLoc": RiskLoc(),
}
