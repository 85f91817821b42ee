"""Pins that are not asked because on whose behalf they are may not ask any more, and how they go
on."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from gateway.domain.board import AlertKind, Pause, Pin
from gateway.domain.board_meaning import in_sentences
from gateway.domain.standing import Known, Owner
from mesh.errors import PIN_OWNER_GONE


def owner_of(pin: Pin) -> Owner:
    """On whose behalf a pin is asked."""
    return Owner(pin.tenant, pin.pinned_by, pin.how, pin.pinned_at)


def paused(pin: Pin, why: str, at: datetime) -> Pin:
    """A pin that is not asked from now on, or for another reason than before."""
    since = pin.pause.since if pin.pause is not None else at
    return replace(pin, pause=Pause(since, why), alerting=pin.alerting | {AlertKind.PAUSED})


def resumed(pin: Pin) -> Pin:
    """A pin that is asked again."""
    return replace(pin, pause=None, alerting=pin.alerting - {AlertKind.PAUSED})


def taken_over(pin: Pin, user: str, how: Known, *, local: bool) -> Pin:
    """A pin that is asked on another's behalf from now on."""
    return replace(resumed(pin), pinned_by=user, how=how, local=local)


def pause_words(why: str) -> str:
    """Why a pin is not asked, and what to do."""
    return in_sentences(f"It is not asked any more: {why}", PIN_OWNER_GONE.remedy)
