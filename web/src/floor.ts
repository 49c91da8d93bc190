// SPDX-License-Identifier: Apache-2.0
// The floor plan: GPC, CPC, TPC, SM, with a slider for the cluster size and DSM legs as colour.
import { el, howFold, save, svg } from "./dom";
import type { FloorBlock, Seat } from "./types";

const kSm = 30, kGap = 3, kTpc = 2 * kSm + kGap, kPad = 10, kTitle = 26, kLabel = 50;

/// Cividis (Nuñez, Anderton, Renslow 2018), made for colour-blind readers, at seven places.
const scale = ["#00224e", "#2a406c", "#575d6d", "#7d7c78", "#a59c74", "#d2c060", "#fee838"];
const lightText = (place: number): string => (place > 0.55 ? "#111" : "#fff");

function colour(place: number): string {
  return scale[Math.round(Math.min(1, Math.max(0, place)) * (scale.length - 1))] ?? "#888";
}

interface Box { title: string; rows: { label: string; seats: Seat[] }[] }

function boxes(seats: Seat[], gpcs: number): Box[] {
  const out: Box[] = [];
  for (let g = -1; g < gpcs; g++) {
    const here = seats.filter((s) => (s.gpc ?? -1) === g);
    if (here.length === 0) continue;
    const sms = here.reduce((n, s) => n + s.sms.length, 0);
    const sides = new Set(here.map((s) => s.partition).filter((p) => p !== null));
    const side = sides.size === 1 ? `, L2 side ${[...sides][0]}` : "";
    const cpcs = [...new Set(here.map((s) => s.cpc ?? -1))].sort((a, b) => a - b);
    out.push({
      title: g < 0 ? `GPC undetermined, ${sms} SMs` : `GPC ${g}, ${sms} SMs${side}`,
      rows: cpcs.map((c) => ({ label: c < 0 ? "CPC ?" : `CPC ${c}`, seats: here.filter((s) => (s.cpc ?? -1) === c) })),
    });
  }
  return out.sort((a, b) => Number(a.title.startsWith("GPC u")) - Number(b.title.startsWith("GPC u")));
}

export function floorBlock(block: FloorBlock): HTMLElement {
  const { map, fits, legs } = block;
  const values = Object.values(legs);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const hasLegs = values.length > 0;
  const cells = new Map<number, { rect: SVGRectElement; text: SVGTextElement; title: SVGTitleElement; seat: Seat }>();
  const all = boxes(map.tpcs, map.gpcs);

  const drawing = el("div", { class: "plan" });
  for (const box of all) {
    const widest = Math.max(...box.rows.map((r) => r.seats.length), 3);
    const width = kLabel + widest * (kTpc + 2 * kGap) + kPad;
    const height = kTitle + box.rows.length * (kSm + 3 * kGap) + kPad;
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": box.title, class: "gpc" });
    picture.append(svg("rect", { x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 6, class: "box" }),
      svg("text", { x: kPad, y: 18, class: "box-title" }, box.title));
    box.rows.forEach((row, r) => {
      const y = kTitle + r * (kSm + 3 * kGap);
      picture.append(svg("text", { x: kPad, y: y + kSm / 2 + 4, class: "cpc" }, row.label));
      row.seats.forEach((seat, t) => {
        const x = kLabel + t * (kTpc + 2 * kGap);
        picture.append(svg("rect", { x: x - 1.5, y: y - 1.5, width: kTpc + 3, height: kSm + 3, rx: 4, class: seat.lone ? "tpc lone" : "tpc" }));
        seat.sms.forEach((sm, i) => {
          const title = svg("title");
          const rect = svg("rect", { x: x + i * (kSm + kGap), y, width: kSm, height: kSm, rx: 3, class: "sm", "data-sm": sm }, title);
          const text = svg("text", { x: x + i * (kSm + kGap) + kSm / 2, y: y + kSm / 2 + 4, class: "sm-name" }, String(sm));
          cells.set(sm, { rect, text, title, seat });
          picture.append(rect, text);
        });
      });
    });
    drawing.append(picture);
  }

  const said = el("output", { class: "said", for: "cluster-size", "aria-live": "polite" });
  const slider = el("input", { type: "range", id: "cluster-size", min: 1, max: fits.length, step: 1, value: Math.min(8, fits.length) });
  const colours = el("input", { type: "checkbox", id: "leg-colours" });
  colours.checked = hasLegs;
  colours.disabled = !hasLegs;

  const paint = (): void => {
    const fit = fits[Number(slider.value) - 1];
    if (!fit) return;
    const idle = new Set(fit.sms);
    for (const [sm, cell] of cells) {
      const leg = legs[String(sm)];
      const place = leg === undefined || most === least ? 0.5 : (leg - least) / (most - least);
      const coloured = colours.checked && leg !== undefined;
      cell.rect.style.fill = coloured ? colour(place) : "var(--sm)";
      cell.text.style.fill = coloured ? lightText(place) : "var(--ink)";
      cell.rect.classList.toggle("idle", idle.has(sm));
      cell.text.classList.toggle("idle", idle.has(sm));
      if (idle.has(sm)) { cell.rect.style.fill = "var(--idle)"; cell.text.style.fill = "var(--ink)"; }
      const s = cell.seat;
      cell.title.textContent = [`SM ${sm}`, s.gpc === null ? "GPC undetermined" : `GPC ${s.gpc}`, s.cpc === null ? "" : `CPC ${s.cpc}`,
        s.partition === null ? "" : `L2 side ${s.partition}`, s.lone ? "lone TPC" : "", leg === undefined ? "" : `leg ${leg.toFixed(1)} cycles`,
        idle.has(sm) ? `idle with clusters of ${fit.ranks}` : ""].filter(Boolean).join(", ");
    }
    said.textContent = `Clusters of ${fit.ranks}: ${fit.clusters} run at once, ${fit.idle} of ${map.sms} SMs idle.`;
  };
  slider.addEventListener("input", paint);
  colours.addEventListener("change", paint);
  paint();

  const legend = hasLegs
    ? el("p", { class: "legend" }, `DSM leg ${least.toFixed(0)} cycles `,
      el("span", { class: "ramp", style: `background: linear-gradient(90deg, ${scale.join(", ")})`, "aria-hidden": true }), ` ${most.toFixed(0)} cycles`)
    : null;
  const doubts = map.agreements.map((a) => el("li", {}, `${a.what}: ${a.agree} of ${a.judged} agree${a.differences.length ? `; ${a.differences.slice(0, 3).join("; ")}` : ""}`));
  const loneSeats = map.tpcs.filter((s) => s.lone).map((s) => el("li", {},
    `SMs ${s.sms.join(" and ")}: ${s.gpc === null ? "undetermined" : `GPC ${s.gpc} at ${(100 * s.probability).toFixed(2)} %`}. ${s.evidence.join(" ")}`));
  return el("figure", { id: block.id, class: "floor" },
    el("figcaption", {}, el("h3", {}, block.title), el("p", { class: "summary" }, block.summary)),
    el("div", { class: "controls" },
      el("label", { for: "cluster-size" }, "CTAs of a cluster, one on an SM: "), slider, said,
      el("label", {}, colours, " colour by DSM leg")),
    legend, drawing,
    el("p", { class: "note" }, "A frame is a TPC, a dashed one is never in a cluster with another. Numbers are %smid. Grey and struck through: idle; which SMs of a GPC stay idle is the card's choice, their number is not."),
    el("p", { class: "tools" },
      el("button", { type: "button", click: () => save("floor-plan.json", "application/json", JSON.stringify({ map, fits, legs }, null, 1)) }, "JSON")),
    el("details", { class: "how" }, el("summary", {}, "What the map rests on"),
      el("p", {}, `Methods: ${map.methods.join(", ")}.`), el("ul", {}, ...doubts),
      loneSeats.length ? el("p", {}, "TPCs that are never in a cluster with another:") : null, el("ul", {}, ...loneSeats)),
    howFold(block.how));
}
