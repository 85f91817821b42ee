// When a board is refreshed.
import { create } from "@bufbuild/protobuf";
import { type Schedule, ScheduleKind, ScheduleSchema } from "@gen/assay/gateway/v1/board_service_pb";

import { WEEKDAYS } from "./words";

const KINDS: readonly (readonly [ScheduleKind, string])[] = [
  [ScheduleKind.OFF, "Manual refresh only"],
  [ScheduleKind.MINUTES, "Every N minutes"],
  [ScheduleKind.DAILY, "Daily"],
  [ScheduleKind.WEEKLY, "Weekly"],
  [ScheduleKind.MONTHLY, "Monthly"],
];

/** What the form begins with: what is set, and else what most people want. */
export function scheduleFrom(schedule: Schedule | undefined): Schedule {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  const given = schedule ?? create(ScheduleSchema);
  const timed = given.kind >= ScheduleKind.DAILY;
  return create(ScheduleSchema, {
    kind: given.kind || ScheduleKind.OFF,
    everyMinutes: given.everyMinutes || 60,
    hour: timed ? given.hour : 7,
    minute: timed ? given.minute : 0,
    weekday: given.weekday || 1,
    day: given.day || 1,
    zone: timed ? given.zone : own,
  });
}

export function ScheduleFields({ value, change }: { value: Schedule; change: (value: Schedule) => void }) {
  const set = (part: Partial<Schedule>) => change(create(ScheduleSchema, { ...value, ...part }));
  const timed = value.kind >= ScheduleKind.DAILY;
  const time = `${String(value.hour).padStart(2, "0")}:${String(value.minute).padStart(2, "0")}`;
  return (
    <fieldset class="stack">
      <legend class="legend">Schedule</legend>
      <label class="field"><span>How often</span>
        <select value={value.kind} onChange={(event) => set({ kind: Number(event.currentTarget.value) })}>
          {KINDS.map(([kind, words]) => <option value={kind}>{words}</option>)}
        </select>
      </label>
      {value.kind === ScheduleKind.MINUTES && (
        <label class="field"><span>Minutes</span>
          <input type="number" min={5} max={44640} step={1} required value={value.everyMinutes} onInput={(event) => set({ everyMinutes: whole(event.currentTarget.value) })} />
        </label>
      )}
      {value.kind === ScheduleKind.WEEKLY && (
        <label class="field"><span>Day</span>
          <select value={value.weekday} onChange={(event) => set({ weekday: Number(event.currentTarget.value) })}>
            {WEEKDAYS.map((name, at) => <option value={at + 1}>{name}</option>)}
          </select>
        </label>
      )}
      {value.kind === ScheduleKind.MONTHLY && (
        <label class="field"><span>Day of the month (the last day in shorter months)</span>
          <input type="number" min={1} max={31} step={1} required value={value.day} onInput={(event) => set({ day: whole(event.currentTarget.value) })} />
        </label>
      )}
      {timed && (
        <div class="two">
          <label class="field"><span>At</span>
            <input type="time" required value={time} onInput={(event) => {
              const [hour, minute] = event.currentTarget.value.split(":").map(Number);
              if (hour !== undefined && minute !== undefined) set({ hour, minute });
            }} />
          </label>
          <label class="field"><span>Time zone</span>
            <select value={value.zone} onChange={(event) => set({ zone: event.currentTarget.value })}>
              {zones(value.zone).map((name) => <option value={name}>{name}</option>)}
            </select>
          </label>
        </div>
      )}
    </fieldset>
  );
}

function zones(chosen: string): string[] {
  return [...new Set(["UTC", chosen, ...Intl.supportedValuesOf("timeZone")])].filter(Boolean);
}

function whole(text: string): number {
  return Math.max(0, Math.min(1_000_000, Math.trunc(Number(text) || 0)));
}
