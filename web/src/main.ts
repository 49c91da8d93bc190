// SPDX-License-Identifier: Apache-2.0
import "./style.css";
import { Chart } from "./chart";
import { el } from "./dom";
import { floorBlock } from "./floor";
import { pathBlock } from "./path";
import { tableBlock } from "./table";
import { dark, onPrint } from "./theme";
import type { Block, Document, MinuteBlock, Part, Section } from "./types";

const charts: Chart[] = [];

function minute(block: MinuteBlock): HTMLElement {
  return el("ul", { class: "minute" }, ...block.items.map((i) =>
    el("li", {},
      el("span", { class: "label" }, i.label),
      el("span", { class: "value" }, i.value, el("span", { class: "unit" }, ` ${i.unit}`)),
      el("span", { class: "interval" }, [i.low && i.high ? `${i.low} to ${i.high}` : "", i.share ?? ""].filter(Boolean).join(" · ")),
      el("span", { class: "advice" }, i.advice),
      el("code", {}, i.from))));
}

function render(block: Block): HTMLElement {
  switch (block.kind) {
    case "chart": {
      const chart = new Chart(block);
      charts.push(chart);
      return chart.element;
    }
    case "table": return tableBlock(block);
    case "minute": return minute(block);
    case "floor-plan": return floorBlock(block);
    case "path": return pathBlock(block);
    case "missing": return el("p", { class: "missing" }, block.text);
    case "text": return el("p", {}, block.text);
  }
}

function section(s: Section): HTMLElement {
  return el("section", { id: s.id, "aria-labelledby": `${s.id}-title` },
    el("h2", { id: `${s.id}-title` }, s.title), el("p", { class: "takeaway" }, s.takeaway), ...s.blocks.map(render));
}

function facts(p: Part): HTMLElement {
  const rows: [string, string][] = [
    ["card", p.simulated ? `${p.gpu}, simulated` : `${p.gpu}, ${p.hash}`],
    ["compute", `${p.compute}, ${p.sms} SMs`],
    ["driver", p.driver && `${p.driver}, CUDA ${p.cuda}`],
    ["clocks", [p.sm_clock !== null ? `SM ${p.sm_clock} MHz` : "", p.sm_clock_most !== null ? `of ${p.sm_clock_most}` : "",
      p.memory_clock !== null ? `memory ${p.memory_clock} MHz` : "", p.ecc ? `ECC ${p.ecc}` : ""].filter(Boolean).join(", ")],
    ["measured", `${p.date}, ${p.cases.toLocaleString("en")} cases`],
    ["command", p.command], ["by", `plumb ${p.tool}`], ["experiments", p.experiments],
  ];
  return el("dl", { class: "facts" }, ...rows.filter((r) => r[1]).flatMap(([k, v]) => [el("dt", {}, k), el("dd", {}, v)]));
}

function header(doc: Document): HTMLElement {
  const first = doc.parts[0];
  const line = first ? `${first.sms} SMs, compute ${first.compute}, measured ${[...new Set(doc.parts.map((p) => p.date.slice(0, 10)))].join(" and ")}` : "";
  const runs = doc.parts.length === 1 && first ? [facts(first)] : [el("details", {}, el("summary", {}, `From ${doc.parts.length} recordings`), ...doc.parts.map(facts))];
  return el("header", {},
    el("p", { class: "brand" }, "Plumb report"), el("h1", {}, doc.title), el("p", { class: "line" }, line), ...runs,
    doc.warnings.length ? el("ul", { class: "warnings", "aria-label": "Warnings" }, ...doc.warnings.map((w) => el("li", {}, w))) : null,
    el("nav", { "aria-label": "Sections" }, ...doc.sections.map((s) => el("a", { href: `#${s.id}` }, s.title))));
}

async function drawAll(force: boolean): Promise<void> {
  for (const chart of charts) {
    await chart.draw(force);
    // The page stays usable while it draws.
    await new Promise((go) => setTimeout(go, 0));
  }
  document.documentElement.dataset["drawn"] = String(charts.length);
}

function start(): void {
  const app = document.getElementById("app");
  const data = document.getElementById("plumb-data")?.textContent ?? "";
  if (!app) return;
  if (data.trim() === "") {
    app.append(el("p", {}, "This is the empty page of `plumb report`, which puts a recording's findings into it."));
    return;
  }
  const doc = JSON.parse(data) as Document;
  document.title = `${doc.title}: Plumb report`;
  app.append(header(doc), el("main", { id: "main", tabindex: -1 }, ...doc.sections.map(section)),
    el("footer", {}, "Dots and bars are medians or fits, lines through them 95 % intervals where there is room to see them. Everything is in this file; nothing is fetched."));
  void drawAll(false);
  let timer = 0;
  window.addEventListener("resize", () => { clearTimeout(timer); timer = window.setTimeout(() => void drawAll(false), 150); });
  dark.addEventListener("change", () => void drawAll(true));
  onPrint(() => drawAll(true));
}

start();
