// SPDX-License-Identifier: Apache-2.0
import embed, { type Result, type VisualizationSpec } from "vega-embed";
import { logger, Warn } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { el, howFold, save } from "./dom";
import { csv } from "./data";
import { sortable } from "./table";
import { chartConfig } from "./theme";
import type { ChartBlock } from "./types";

const kLeastPanel = 250;
const kAxis = 62;
const kOwnAxis = 24;
const kShownRows = 400;

type Logger = ReturnType<typeof logger>;
type Spec = Record<string, unknown>;

/// A page that opens from disk fetches nothing, and a specification cannot make it.
const loader = {
  options: {},
  load: () => Promise.reject(new Error("the report fetches nothing")),
  sanitize: () => Promise.reject(new Error("the report links to nothing")),
  http: () => Promise.reject(new Error("the report fetches nothing")),
  file: () => Promise.reject(new Error("the report fetches nothing")),
};

/// Vega-Lite says so where a height is by the step, which is what is meant.
const kExpected = 'Dropping "fit-y"';
function quiet(): Logger {
  const loud = logger(Warn);
  const warn = loud.warn.bind(loud);
  loud.warn = (...what: readonly unknown[]) => (String(what[0]).startsWith(kExpected) ? loud : warn(...what));
  return loud;
}

/// The specification at the width that there is: facets in as many columns as fit.
function fitted(block: ChartBlock, width: number): VisualizationSpec {
  const spec = structuredClone(block.spec) as Spec;
  spec["data"] = { values: block.rows };
  spec["autosize"] = { type: "fit-x", contains: "padding" };
  const facet = spec["facet"] as Spec | undefined;
  if (!facet) {
    spec["width"] = Math.max(200, width);
    return spec as unknown as VisualizationSpec;
  }
  delete spec["autosize"];
  const distinct = (field: unknown): number => new Set(block.rows.map((r) => r[String(field)])).size;
  const column = facet["column"] as Spec | undefined;
  const panels = distinct(column ? column["field"] : facet["field"]);
  const columns = Math.max(1, Math.min(panels, column ? panels : Math.floor(width / kLeastPanel)));
  const inner = spec["spec"] as Spec;
  const own = spec["resolve"] !== undefined ? kOwnAxis : 0;  // each panel has an axis of its own
  inner["width"] = Math.max(150, Math.floor(width / columns) - kAxis - own);
  if (!column) spec["columns"] = columns;
  return spec as unknown as VisualizationSpec;
}

export class Chart {
  readonly element: HTMLElement;
  private readonly picture: HTMLElement;
  private readonly controls = el("div", { class: "controls" });
  private result: Result | undefined;
  private drawnAt = 0;

  constructor(private readonly block: ChartBlock) {
    const summary = `${block.id}-summary`;
    this.picture = el("div", { class: "picture", role: "img", "aria-label": block.title, "aria-describedby": summary });
    const rows = block.rows.slice(0, kShownRows);
    const caption = rows.length < block.rows.length ? `${block.title}: the first ${kShownRows} of ${block.rows.length} rows` : block.title;
    const raw = el("details", { class: "raw" }, el("summary", {}, `Data (${block.rows.length} rows)`));
    raw.addEventListener("toggle", () => { if (raw.childElementCount === 1) raw.append(sortable(block.columns, rows, caption)); });
    const tool = (label: string, what: () => void): HTMLElement => el("button", { type: "button", click: what, "aria-label": `${label} of ${block.title}` }, label);
    this.element = el("figure", { id: block.id, class: "chart" },
      el("figcaption", {}, el("h3", {}, block.title), el("p", { id: summary, class: "summary" }, block.summary)),
      this.picture, this.controls,
      el("p", { class: "tools" },
        tool("CSV", () => save(`${block.id}.csv`, "text/csv", csv(block.columns, block.rows))),
        tool("JSON", () => save(`${block.id}.json`, "application/json", JSON.stringify({ title: block.title, columns: block.columns, rows: block.rows }, null, 1))),
        tool("SVG", () => void this.saveSvg()),
        tool("PNG", () => void this.savePng())),
      raw, howFold(block.how));
  }

  /// Draws for the width that the page has now; again only where that or `force` asks for it.
  async draw(force = false): Promise<void> {
    const width = Math.floor(this.picture.clientWidth);
    if (width === 0 || (!force && Math.abs(width - this.drawnAt) < 8)) return;
    this.drawnAt = width;
    const old = this.result;
    this.controls.replaceChildren();
    this.result = await embed(this.picture, fitted(this.block, width),
      { actions: false, renderer: "svg", ast: true, expr: expressionInterpreter, config: chartConfig(), loader, logger: quiet(), bind: this.controls, tooltip: { theme: "custom" } });
    old?.finalize();
    // The figure has a label and a summary in words; a thousand marks without names say nothing more.
    this.picture.querySelector("svg")?.setAttribute("aria-hidden", "true");
    // One that is wider than the page must be reached by keyboard to be moved.
    if (this.picture.scrollWidth > this.picture.clientWidth + 1) this.picture.tabIndex = 0;
    else this.picture.removeAttribute("tabindex");
    this.element.dataset["drawn"] = "true";
  }

  private async saveSvg(): Promise<void> {
    await this.draw();
    if (this.result) save(`${this.block.id}.svg`, "image/svg+xml", await this.result.view.toSVG());
  }

  private async savePng(): Promise<void> {
    await this.draw();
    if (!this.result) return;
    const canvas = await this.result.view.toCanvas(2);
    canvas.toBlob((blob) => { if (blob) save(`${this.block.id}.png`, "image/png", blob); }, "image/png");
  }
}
