// SPDX-License-Identifier: Apache-2.0
// node page_test.mjs PLUMB WEB RECORDINGS...: the report as a person meets it, in Debian's Chromium. WEB is the
// folder with node_modules. Exit code 77: what it needs is not here.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [, , plumb, web, ...recordings] = process.argv;
const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!chromiumPath || !existsSync(join(web, "node_modules/playwright-core"))) {
  console.log(`skipped: ${chromiumPath ? "playwright-core is not built" : "no Chromium is installed; scripts/setup.sh installs it"}`);
  process.exit(77);
}
const require = createRequire(resolve(web, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const folder = mkdtempSync(join(tmpdir(), "plumb-page-"));
let failures = 0;
function check(what, holds, detail = "") {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}${holds || detail === "" ? "" : `: ${detail}`}`);
  if (!holds) failures += 1;
}
function run(...args) {
  const done = spawnSync(plumb, args, { cwd: folder, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`plumb ${args.join(" ")}: ${done.status} ${done.stderr}`);
  return done.stdout;
}
function report(name, ...files) {
  run("report", ...files, "-o", name);
  return join(folder, name);
}

const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true });

/// The page at `file`, drawn, with all that its console and network said.
async function open(file, options = {}) {
  const page = await context.newPage();
  const said = [];
  page.on("console", (m) => said.push(`${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => said.push(`error: ${e.message}`));
  page.on("dialog", (d) => { said.push(`dialog: ${d.message()}`); void d.dismiss(); });
  page.on("request", (r) => { if (!/^(file|data|blob):/.test(r.url())) said.push(`request: ${r.url()}`); });
  if (options.width) await page.setViewportSize({ width: options.width, height: 844 });
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined, null, { timeout: 120_000 });
  return { page, said };
}

async function downloaded(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return readFileSync(await download.path());
}

async function drawsEverything() {
  const file = report("report.html", ...recordings);
  check("a full report is below 5 MB", statSync(file).size < 5e6, `${statSync(file).size} bytes`);
  const { page, said } = await open(file);
  check("nothing is said on the console and nothing fetched", said.length === 0, said.join(" | "));
  const undrawn = await page.$$eval("figure.chart", (all) => all.filter((f) => f.dataset.drawn !== "true" || f.querySelectorAll(".picture svg path, .picture svg line, .picture svg rect").length < 4).map((f) => f.id));
  const charts = await page.locator("figure.chart").count();
  check("there are charts", charts >= 10, `${charts}`);
  check("every chart has drawn", undrawn.length === 0, undrawn.join(" "));
  const units = await page.$$eval("figure.chart", (all) => all.filter((f) => f.querySelectorAll(".picture svg text").length < 4).map((f) => f.id));
  check("every chart has text on its axes", units.length === 0, units.join(" "));
  const summaries = await page.$$eval("figure.chart .summary", (all) => all.filter((s) => s.textContent.length < 30).length);
  check("every chart has a summary in words", summaries === 0);
  return page;
}

async function tablesSort(page) {
  const table = page.locator("#tomography table");
  const read = () => table.locator("tbody tr td:nth-child(2)").allTextContents();
  const before = await read();
  const head = table.locator("thead button").nth(1);
  await head.click();
  const up = await read();
  await head.press("Enter");
  const down = await read();
  check("a table sorts up", JSON.stringify(up) !== JSON.stringify(before) || up[0] <= up[1]);
  check("and down, by keyboard", JSON.stringify(down) === JSON.stringify([...up].reverse()), JSON.stringify(down));
  check("and says so", (await table.locator("th[aria-sort]").getAttribute("aria-sort")) === "descending");
}

async function sliderMoves(page) {
  const slider = page.locator("#cluster-size");
  if ((await slider.count()) === 0) return check("there is a floor plan", false);
  const idle = () => page.locator("#floor-plan rect.idle").count();
  const said = () => page.locator("#floor-plan output").textContent();
  const claimed = async () => Number(/, (\d+) of/.exec(await said())[1]);
  await slider.fill("8");
  check("clusters of 8 leave idle SMs", (await idle()) > 0 && (await idle()) === (await claimed()), await said());
  await slider.focus();
  await page.keyboard.press("Home");
  check("clusters of 1 leave none, by keyboard", (await idle()) === 0 && (await said()).startsWith("Clusters of 1:"), await said());
  await page.keyboard.press("ArrowRight");
  check("one step right is 2", (await said()).startsWith("Clusters of 2:"), await said());
}

async function exportsHoldData(page) {
  const figure = page.locator("figure.chart").first();
  const button = (name) => figure.locator(".tools button", { hasText: name });
  const json = JSON.parse((await downloaded(page, button("JSON"))).toString());
  check("JSON has rows", json.rows.length > 3);
  const csv = (await downloaded(page, button("CSV"))).toString().trimEnd().split("\r\n");
  check("CSV has as many", csv.length === json.rows.length + 1, `${csv.length}`);
  check("and units in its head", /B\/cycle|cycles|SM/.test(csv[0]), csv[0]);
  const svg = (await downloaded(page, button("SVG"))).toString();
  check("SVG is a picture", svg.startsWith("<svg") && svg.length > 2000);
  const png = await downloaded(page, button("PNG"));
  check("PNG is a picture", png.subarray(1, 4).toString() === "PNG" && png.length > 5000, `${png.length} bytes`);
}

async function isAccessible(page, where) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  const serious = found.violations.filter((v) => v.impact === "serious" || v.impact === "critical");
  check(`axe-core finds no serious fault ${where}`, serious.length === 0, serious.map((v) => `${v.id} at ${v.nodes.slice(0, 3).map((n) => n.target).join(", ")}`).join(" | "));
}

async function worksOnAPhoneInTheDarkAndOnPaper() {
  const { page, said } = await open(join(folder, "report.html"), { width: 390 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  check("nothing is wider than a phone of 390 px", wide <= 390, `${wide}`);
  await isAccessible(page, "at 390 px");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForTimeout(300);
  await isAccessible(page, "in the dark");
  const pdf = await page.pdf();
  check("it prints", pdf.length > 50_000, `${pdf.length} bytes`);
  check("and none of it is said on the console", said.length === 0, said.join(" | "));
  await page.close();
}

/// A recording whose every name tries to run a script.
async function strangersAreInert() {
  run("run", "dsm/pair", "--on", "sim", "--quick", "-o", "sim.jsonl");
  const lines = readFileSync(join(folder, "sim.jsonl"), "utf8").trimEnd().split("\n").map((l) => JSON.parse(l));
  const hostile = (n) => `</script><script>window.pwned=${n}</script><img src=x onerror="window.pwned=${n}">\u2028'"\`\${alert(1)}`;
  const spread = (value, n) => {
    for (const key of Object.keys(value)) if (typeof value[key] === "string" && !["plumb", "backend"].includes(key)) value[key] = hostile(n);
  };
  spread(lines[0], 1);
  for (const line of lines.slice(1)) {
    line.flags = [hostile(2)];
    // An axis becomes a part of the names of findings, which charts and tables show.
    if (line.case.axes.issue) line.case.axes.issue = `<img src=x onerror=window.pwned=3>${line.case.axes.issue}`;
  }
  writeFileSync(join(folder, "hostile.jsonl"), lines.map((l) => JSON.stringify(l)).join("\n") + "\n");
  const file = report("hostile.html", "hostile.jsonl");
  check("the hostile names are in the page", readFileSync(file, "utf8").includes("window.pwned="));
  const data = readFileSync(file, "utf8").split('id="plumb-data">')[1].split("</script>")[0];
  check("but no element of theirs", data.length > 1000 && !/[<>&\u2028\u2029]/.test(data));
  const { page, said } = await open(file);
  check("a stranger's recording runs no script", (await page.evaluate(() => window.pwned)) === undefined);
  check("and says nothing on the console", said.length === 0, said.join(" | "));
  check("its axes are in a chart, as text", (await page.locator("#dsm-rates").textContent()).includes("<img src=x"));
  check("its names are shown as text", (await page.locator("h1").textContent()).includes("<script>window.pwned=1"));
  check("and make no element", (await page.locator("img").count()) === 0);
  const refused = await page.evaluate(() => {
    const s = document.createElement("script");
    s.textContent = "window.smuggled = 1";
    document.body.append(s);
    return window.smuggled === undefined;
  });
  check("a script that came in all the same is refused by the page's policy", refused);
  await page.close();
}

try {
  const page = await drawsEverything();
  await tablesSort(page);
  await sliderMoves(page);
  await exportsHoldData(page);
  await isAccessible(page, "on a desk");
  await page.close();
  await worksOnAPhoneInTheDarkAndOnPaper();
  await strangersAreInert();
} catch (error) {
  check("the test itself", false, error.stack);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
console.log(failures === 0 ? "all held" : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
