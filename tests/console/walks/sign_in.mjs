// Somebody without a token signs in at the provider, works, signs out everywhere, and is let in by nobody's cookie any more.
import assert from "node:assert/strict";

import { accessible, browse, given, site } from "./walking.mjs";

const { browser, context, faults } = await browse();
const page = await context.newPage();
const provider = new URL(given.provider).host;
await page.goto(site);
const button = page.getByRole("button", { name: `Sign in with ${provider}` });
await button.waitFor();
await accessible(page, "signing in");

await button.click();
await page.getByRole("heading", { name: "What do you want to know?" }).waitFor();
await page.getByText("ann@example.com").waitFor();
await page.reload();
await page.getByText("ann@example.com").waitFor();
const kept = (await context.cookies(site)).filter((one) => one.httpOnly);
assert.equal(kept.length, 1, "the attempt is over, the session is kept where no script sees it");
assert.deepEqual(await page.evaluate(() => document.cookie), "");

await page.getByRole("button", { name: "Sign out" }).click();
await page.getByText("You are signed out.").waitFor();
await context.addCookies(kept);
await page.reload();
await button.waitFor();

await page.goto(`${site}/sign-in/back?code=stolen&state=another`);
await page.getByRole("alert").getByText("Sign-in failed").waitFor();
assert.deepEqual(faults.filter((one) => !one.includes(provider)), []);
await browser.close();
