// Light or dark: as the system says, until somebody chooses.
import { effect, signal } from "@preact/signals";

type Theme = "light" | "dark";
const KEY = "assay.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const chosen = localStorage.getItem(KEY);

export const theme = signal<Theme>(chosen === "light" || chosen === "dark" ? chosen : system.matches ? "dark" : "light");

system.addEventListener("change", () => {
  if (!localStorage.getItem(KEY)) theme.value = system.matches ? "dark" : "light";
});
effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});

export function turnTheme(): void {
  theme.value = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(KEY, theme.value);
}
