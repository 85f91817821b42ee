// A page on paper: light, whatever the screen is, once the charts are drawn so.
import { theme } from "../parts/theme";

const DRAWN_MILLISECONDS = 700;

export async function printed(): Promise<void> {
  const before = theme.value;
  if (before === "dark") {
    theme.value = "light";
    await new Promise((resolve) => setTimeout(resolve, DRAWN_MILLISECONDS));
  }
  print();
  theme.value = before;
}
