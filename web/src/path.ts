// SPDX-License-Identifier: Apache-2.0
// The way from SM to SM as a row of boxes; a column where the page is narrow.
import { el } from "./dom";
import type { PathBlock } from "./types";

export function pathBlock(block: PathBlock): HTMLElement {
  const steps = block.parts.map((p) =>
    el("li", {},
      el("strong", {}, p.name), el("span", { class: "does" }, p.does),
      el("span", { class: p.measured ? "measured" : "measured none" }, p.measured || "not limiting"),
      el("span", { class: "by" }, p.by)));
  return el("figure", { id: block.id, class: "path" },
    el("figcaption", {}, el("h3", {}, block.title), el("p", { class: "summary" }, block.summary)),
    el("ol", {}, ...steps));
}
