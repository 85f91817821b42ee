// Every page in light and dark, wide and narrow: usable by everybody that axe can speak for.
import { accessible, ask, drop, given, site, walking } from "./walking.mjs";

const PAGES = ["/", "/look", "/ask", "/why", "/cause", "/boards", "/proof", "/operate", "/nowhere"];

for (const [colorScheme, width] of [["light", 1280], ["dark", 1280], ["light", 400]]) {
  await walking(async (page) => {
    await drop(page, given.file);
    await ask(page, "number of sales by region");
    await accessible(page, `an answer, ${colorScheme}, ${width}`);
    for (const address of PAGES) {
      await page.goto(site + address);
      await page.getByRole("heading").first().waitFor();
      await page.waitForLoadState("networkidle");
      await accessible(page, `${address}, ${colorScheme}, ${width}`);
    }
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await accessible(page, `signing in, ${colorScheme}, ${width}`);
  }, { colorScheme, viewport: { width, height: 800 } });
}
