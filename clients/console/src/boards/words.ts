// Boards as they read: schedules, dates of data, states.
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { ColumnFormat } from "@gen/assay/common/v1/analysis_pb";
import { AlertKind, DeliveryState, type Run, RunState, type Schedule, ScheduleKind } from "@gen/assay/gateway/v1/board_service_pb";

import { moment, told } from "../words/numbers";

export const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

export const ALERTS: Readonly<Record<AlertKind, string>> = {
  [AlertKind.UNSPECIFIED]: "alert",
  [AlertKind.OUT_OF_RANGE]: "out of range",
  [AlertKind.RUN_FAILED]: "no new answer",
  [AlertKind.MEANING_CHANGED]: "meaning changed",
  [AlertKind.PAUSED]: "paused",
};

export const STATES: Readonly<Record<RunState, string>> = {
  [RunState.UNSPECIFIED]: "unknown",
  [RunState.DUE]: "due",
  [RunState.RUNNING]: "running",
  [RunState.ANSWERED]: "answered",
  [RunState.FAILED]: "no answer",
};

export const DELIVERIES: Readonly<Record<DeliveryState, string>> = {
  [DeliveryState.UNSPECIFIED]: "unknown",
  [DeliveryState.PENDING]: "pending",
  [DeliveryState.SENT]: "sent",
  [DeliveryState.FAILED]: "not sent",
};

export function scheduleWords(schedule: Schedule | undefined): string {
  if (!schedule) return "Manual refresh only";
  const at = `at ${two(schedule.hour)}:${two(schedule.minute)} (${schedule.zone || "UTC"})`;
  switch (schedule.kind) {
    case ScheduleKind.MINUTES:
      return `Every ${everyWords(schedule.everyMinutes)}`;
    case ScheduleKind.DAILY:
      return `Daily ${at}`;
    case ScheduleKind.WEEKLY:
      return `Every ${WEEKDAYS[schedule.weekday - 1] ?? "week"} ${at}`;
    case ScheduleKind.MONTHLY:
      return `Monthly on day ${schedule.day} ${at}`;
    default:
      return "Manual refresh only";
  }
}

/** How new the data of a run is. */
export function dataWords(run: Run): string {
  if (!run.dataColumn) return `data read ${timeWords(run.dataAt)}`;
  return `data up to ${dateWords(run.dataAt, run.dataFormat)}`;
}

export function dateWords(iso: string, format: ColumnFormat): string {
  const time = new Date(iso.length === 10 || /[Z+]/.test(iso.slice(10)) ? iso : `${iso}Z`);
  if (Number.isNaN(time.getTime())) return iso;
  const said = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: "UTC" }).format(time);
  switch (format) {
    case ColumnFormat.YEAR:
      return said({ year: "numeric" });
    case ColumnFormat.QUARTER:
      return `Q${Math.ceil((time.getUTCMonth() + 1) / 3)} ${time.getUTCFullYear()}`;
    case ColumnFormat.MONTH:
      return said({ month: "long", year: "numeric" });
    case ColumnFormat.WEEK:
      return `the week from ${said({ dateStyle: "medium" })}`;
    default:
      return iso.length === 10 || iso.endsWith("T00:00:00") ? said({ dateStyle: "medium" }) : said({ dateStyle: "medium", timeStyle: "short" });
  }
}

/** A moment as near as it is. */
export function ago(time: Timestamp | undefined, now = Date.now()): string {
  if (!time) return "";
  const minutes = Math.round((now - Number(time.seconds) * 1000) / 60_000);
  const apart = Math.abs(minutes);
  if (apart < 1) return minutes < 0 ? "in a moment" : "just now";
  if (apart >= 24 * 60) return moment(time);
  const words = apart < 60 ? `${apart} min` : `${Math.round(apart / 60)} h`;
  return minutes < 0 ? `in ${words}` : `${words} ago`;
}

/** A run's number for drawing; null where it has none. */
export function numberOf(run: Run): number | null {
  const value = run.number === "" ? NaN : Number(run.number);
  return Number.isFinite(value) ? value : null;
}

export function rangeWords(low: number | undefined, high: number | undefined): string {
  if (low !== undefined && high !== undefined) return `expected between ${told(low)} and ${told(high)}`;
  if (low !== undefined) return `expected at least ${told(low)}`;
  return high === undefined ? "" : `expected at most ${told(high)}`;
}

function everyWords(minutes: number): string {
  if (minutes % 1440 === 0) return minutes === 1440 ? "day" : `${minutes / 1440} days`;
  if (minutes % 60 === 0) return minutes === 60 ? "hour" : `${minutes / 60} hours`;
  return `${minutes} minutes`;
}

function timeWords(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" }).format(time);
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
