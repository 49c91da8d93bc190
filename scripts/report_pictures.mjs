// SPDX-License-Identifier: Apache-2.0
// node scripts/report_pictures.mjs BUILD OUT [RECORDING...]: pictures of the report's sections for the docs, by
// Debian's Chromium, from the shipped runs where no recording is given.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [, , build, out, ...recordings] = process.argv;
if (!out) {
  console.error("usage: node scripts/report_pictures.mjs BUILD OUT [RECORDING...]");
  process.exit(2);
}
const { chromium } = createRequire(join(resolve(build), "web/package.json"))("playwright-core");
const folder = mkdtempSync(join(tmpdir(), "plumb-pictures-"));
const file = join(folder, "report.html");
const done = spawnSync(join(resolve(build), "plumb"), ["report", ...recordings, "-o", file], { stdio: "inherit" });
if (done.status !== 0) process.exit(done.status ?? 1);
mkdirSync(out, { recursive: true });

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
async function open(options) {
  const page = await browser.newPage(options);
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined, null, { timeout: 120_000 });
  return page;
}
const page = await open({ viewport: { width: 1120, height: 900 } });
const save = (where, name) => where.screenshot({ path: join(out, `report-${name}.png`) });
await save(page.locator("header"), "header");
for (const section of await page.locator("main > section").all()) await save(section, await section.getAttribute("id"));
const dark = await open({ viewport: { width: 1120, height: 900 }, colorScheme: "dark" });
await save(dark.locator("#floor"), "floor-dark");
const phone = await open({ viewport: { width: 390, height: 844 } });
await save(phone, "phone");
await browser.close();
rmSync(folder, { recursive: true });
