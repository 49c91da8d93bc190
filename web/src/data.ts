// SPDX-License-Identifier: Apache-2.0
import type { Column, Row, Value } from "./types";

export function heading(c: Column): string {
  return c.unit ? `${c.title}, ${c.unit}` : c.title;
}

/// Numbers as a reader wants them: four digits, thousands apart.
export function shown(value: Value | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en");
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en");
  return value.toFixed(size >= 100 ? 1 : size >= 1 ? 2 : 3);
}

/// RFC 4180. A cell that a spreadsheet would take for a formula gets an apostrophe.
export function csv(columns: Column[], rows: Row[]): string {
  const cell = (value: Value | undefined): string => {
    if (value === null || value === undefined) return "";
    let text = String(value);
    if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  const lines = [columns.map((c) => cell(heading(c))).join(",")];
  for (const row of rows) lines.push(columns.map((c) => cell(row[c.name])).join(","));
  return lines.join("\r\n") + "\r\n";
}
