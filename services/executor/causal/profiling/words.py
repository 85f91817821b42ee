"""What the name of a column hints at. A hint counts for something, and never decides alone."""

from __future__ import annotations

import re


def _any(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|_)(?:{'|'.join(words.split())})(?:_|$)")


_TREATMENT = _any(
    r"treat treated treatment trt exposure exposed exposures policy campaign intervention program"
    r" programme promo promotion discount coupon drug dose dosage vaccine vaccinated vaccination"
    r" assigned assignment training trained participated participation participant enrolled"
    r" subsidy reform law received got offered exposed_to variant ab_group treated_group smoker"
    r" smoking quit qsmk email mailed advert ad ads job_training experiment arm"
)
_OUTCOME = _any(
    r"outcome y target result response score sales revenue profit income wage wages earnings"
    r" salary spend spending spent death died dead mortality survival survived survive readmitted"
    r" readmission churn churned conversion converted purchase purchased visit visits rate yield"
    r" re78 bill cost price recovery recovered weight_change wt82_71 bmi blood_pressure grade gpa"
    r" performance satisfaction homicide productivity growth"
)
_BEFORE = _any(r"pre before baseline initial prior previous past lagged lag birth born at_start")
_AFTER = _any(
    r"after post final followup follow_up later subsequent end ending exit outcome result results"
    r" discharge afterwards endline"
)
_TRAIT = _any(r"age sex gender race ethnicity black hispanic white asian birth born region country")
_INSTRUMENT = _any(
    r"instrument iv z lottery draft randomised randomized encouragement encouraged eligible"
    r" eligibility distance nearest proximity rainfall judge quarter_of_birth qob assigned_to"
    r" offer invited"
)
_TIME = _any(
    r"date time timestamp datetime day week month quarter year period wave round season semester"
)
_PERIOD = re.compile(
    r"(?:Q[1-4][ -]?\d{4}|\d{4}[ -]?Q[1-4]|\d{4}-(?:0[1-9]|1[0-2])|\d{4}[ -]?W\d{1,2})"
)


def spelt(name: str) -> str:
    """A name as words joined by underscores: "postTreatment score" becomes
    "post_treatment_score"."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[^a-z0-9]+", "_", parted.lower()).strip("_")


def hints_at_treatment(name: str) -> bool:
    """Such as treated, exposure, policy, campaign."""
    return bool(_TREATMENT.search(spelt(name)))


def hints_at_outcome(name: str) -> bool:
    """Such as outcome, revenue, survived."""
    return bool(_OUTCOME.search(spelt(name))) and not hints_at_before(name)


def hints_at_before(name: str) -> bool:
    """Such as baseline_score."""
    return bool(_BEFORE.search(spelt(name)))


def hints_at_after(name: str) -> bool:
    """Measured after the treatment, such as result_ or follow_up; "pre_post" tells nothing."""
    return bool(_AFTER.search(spelt(name))) and not hints_at_before(name)


def hints_at_trait(name: str) -> bool:
    """What nobody can be given, such as age."""
    return bool(_TRAIT.search(spelt(name)))


def hints_at_instrument(name: str) -> bool:
    """Such as lottery, draft, distance."""
    return bool(_INSTRUMENT.search(spelt(name)))


def hints_at_time(name: str) -> bool:
    """Such as year, month, wave."""
    return bool(_TIME.search(spelt(name)))


def looks_like_period(text: str) -> bool:
    """Such as Q42010 or 2010-04."""
    return bool(_PERIOD.fullmatch(text.strip()))
