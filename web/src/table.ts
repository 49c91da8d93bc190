// SPDX-License-Identifier: Apache-2.0
import { el, howFold, save } from "./dom";
import { csv, heading, shown } from "./data";
import type { Column, Row, TableBlock, Value } from "./types";

function compare(a: Value | undefined, b: Value | undefined): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a ?? "").localeCompare(String(b ?? ""), "en", { numeric: true });
}

/// A table whose columns sort by a press of their heads.
export function sortable(columns: Column[], rows: Row[], caption: string): HTMLElement {
  const numeric = columns.map((c) => rows.some((r) => typeof r[c.name] === "number"));
  const body = el("tbody");
  const fillBody = (order: Row[]): void => {
    body.replaceChildren(...order.map((row) =>
      el("tr", {}, ...columns.map((c, i) => el("td", numeric[i] ? { class: "number" } : {}, shown(row[c.name]))))));
  };
  const heads = columns.map((c, i) => {
    const button = el("button", { type: "button" }, heading(c));
    const head = el("th", numeric[i] ? { scope: "col", class: "number" } : { scope: "col" }, button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const order = [...rows].sort((x, y) => compare(x[c.name], y[c.name]));
      fillBody(up ? order : order.reverse());
    });
    return head;
  });
  fillBody(rows);
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, ...heads)), body));
}

export function tableBlock(block: TableBlock): HTMLElement {
  const inner = [
    sortable(block.columns, block.rows, block.title),
    el("p", { class: "tools" },
      el("button", { type: "button", click: () => save(`${block.id}.csv`, "text/csv", csv(block.columns, block.rows)) }, "CSV"),
      el("button", { type: "button", click: () => save(`${block.id}.json`, "application/json", JSON.stringify(block.rows, null, 1)) }, "JSON")),
    block.how ? howFold(block.how) : null,
  ];
  if (!block.folded) return el("figure", { id: block.id, class: "table" }, ...inner);
  return el("figure", { id: block.id, class: "table" }, el("details", {}, el("summary", {}, block.title), ...inner));
}
