// SPDX-License-Identifier: Apache-2.0
// node scripts/trace_picture.mjs TRACE.json OUT.svg: draws a trace of `plumb sim --trace` the way a trace viewer
// lays it out, a row per track, for the docs. The viewer itself is https://ui.perfetto.dev.
import { readFileSync, writeFileSync } from "node:fs";

const [, , input, output] = process.argv;
if (!output) {
  console.error("usage: node scripts/trace_picture.mjs TRACE.json OUT.svg");
  process.exit(2);
}
const { traceEvents } = JSON.parse(readFileSync(input, "utf8"));
const escape = (s) => String(s).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

const name = new Map();
for (const e of traceEvents) if (e.ph === "M" && e.name === "thread_name") name.set(e.tid, e.args.name);
const slices = traceEvents.filter((e) => e.ph === "X");
const tracks = [...new Set(slices.map((e) => e.tid))].sort((a, b) => a - b);
const row = new Map(tracks.map((tid, i) => [tid, i]));
const first = Math.min(...slices.map((e) => e.ts));
const last = Math.max(...slices.map((e) => e.ts + e.dur));

const left = 170, width = 1000, height = 15, top = 24;
const x = (ts) => left + ((ts - first) / (last - first)) * width;
const y = (tid) => top + row.get(tid) * height;
// Okabe and Ito's colours, told apart by colour-blind readers.
const colour = (n) => (n.startsWith("read") ? "#0072b2" : n.startsWith("answer") || n.startsWith("data") ? "#e69f00" : "#009e73");

const out = [];
for (const tid of tracks) {
  out.push(`<rect x="${left}" y="${y(tid)}" width="${width}" height="${height - 2}" fill="#f2f2f2"/>`);
  out.push(`<text x="${left - 6}" y="${y(tid) + 10}" text-anchor="end">${escape(name.get(tid))}</text>`);
}
for (const e of slices) {
  const w = Math.max(1.5, x(e.ts + e.dur) - x(e.ts));
  out.push(
    `<rect x="${x(e.ts).toFixed(1)}" y="${y(e.tid)}" width="${w.toFixed(1)}" height="${height - 2}" ` +
      `fill="${colour(e.name)}"><title>${escape(e.name)}, cycle ${e.ts}, ${e.dur} cycles</title></rect>`);
}
const starts = new Map(traceEvents.filter((e) => e.ph === "s").map((e) => [e.id, e]));
for (const f of traceEvents.filter((e) => e.ph === "f")) {
  const s = starts.get(f.id);
  if (!s || !row.has(s.tid) || !row.has(f.tid)) continue;
  const [x1, y1, x2, y2] = [x(s.ts), y(s.tid) + 7, x(f.ts), y(f.tid) + 7];
  out.push(`<path d="M${x1.toFixed(1)} ${y1} C${(x1 + 30).toFixed(1)} ${y1} ${(x2 - 30).toFixed(1)} ${y2} ${x2.toFixed(1)} ${y2}" ` +
    `fill="none" stroke="#555" stroke-width="0.5" opacity="0.6"/>`);
}
const step = 10 ** Math.floor(Math.log10((last - first) / 4));
for (let t = Math.ceil(first / step) * step; t <= last; t += step)
  out.push(`<text x="${x(t)}" y="14" text-anchor="middle">${t}</text><line x1="${x(t)}" x2="${x(t)}" y1="18" y2="${top + tracks.length * height}" stroke="#ccc" stroke-width="0.5"/>`);
writeFileSync(
  output,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 20} ${top + tracks.length * height + 8}" ` +
    `font-family="sans-serif" font-size="9" role="img"><title>Packets on the tracks of a simulated GPC, time in SM cycles</title>` +
    `<rect width="100%" height="100%" fill="white"/>${out.join("\n")}</svg>\n`);
