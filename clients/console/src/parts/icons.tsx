// Small drawings beside words; they say nothing that the words do not.
const PATHS = {
  start: "M3 11 12 4l9 7M6 10v9h12v-9",
  look: "M4 5h16v14H4zM4 10h16M10 10v9",
  ask: "M5 5h14v10H10l-5 4z",
  proof: "M12 3l7 3v6c0 5-3 7.5-7 9-4-1.5-7-4-7-9V6zM9 12l2.2 2.2L15.5 10",
  why: "M4 6h6l3 6h7M4 18h6l3-6",
  cause: "M6 6h.01M18 6h.01M12 18h.01M7.5 7.5 11 16M16.500 7.5 13 16M8 6h8",
  boards: "M4 4h7v7H4zM13 4h7v5h-7zM4 13h7v7H4zM13 11h7v9h-7z",
  operate: "M4 12h4l2-6 4 12 2-6h4",
  sun: "M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500 19 19M5 19l1.500-1.500M17.500 6.500 19 5",
  moon: "M20 14.500A8.500 8.500 0 119.500 4 7 7 0 0020 14.500z",
  wait: "M12 3a9 9 0 109 9",
  later: "M12 3a9 9 0 100 18 9 9 0 000-18z",
  done: "M5 12.500 10 17l9-10",
  wrong: "M6 6l12 12M18 6 6 18",
  trust: "M12 8v5M12 16.500h.01M12 3a9 9 0 100 18 9 9 0 000-18z",
  file: "M7 3h7l4 4v14H7zM14 3v4h4",
  pin: "M9 4h6l-1 6 3 3H7l3-3zM12 13v7",
  alert: "M12 4 2.5 20h19zM12 10v4.500M12 17.300v.200",
  again: "M19 12a7 7 0 11-2-5l2 2M19 4v5h-5",
  out: "M10 5H5v14h5M14 8l4 4-4 4M18 12H9",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, turns = false }: { name: IconName; turns?: boolean }) {
  return (
    <svg class={turns ? "turns" : undefined} width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor"
      stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
