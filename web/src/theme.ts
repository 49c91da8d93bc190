// SPDX-License-Identifier: Apache-2.0
// Okabe and Ito's colours (Color Universal Design, 2008), told apart by colour-blind readers; the yellow is
// left out, which is too light on white, and shapes go with the colours.
import type { Config } from "vega-lite";

export const palette = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7A5195", "#8C8C8C"];
const darkPalette = ["#56B4E9", "#E69F00", "#2FC79C", "#E7A3C8", "#8EC9F0", "#F0B94D", "#B794D6", "#AAAAAA"];

export const dark = window.matchMedia("(prefers-color-scheme: dark)");

export function chartConfig(): Config {
  const night = dark.matches && !printing;
  const ink = night ? "#e6e6e3" : "#222";
  const faint = night ? "#3a3d42" : "#e2e2de";
  return {
    background: "transparent",
    font: "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif",
    axis: { labelColor: ink, titleColor: ink, gridColor: faint, domainColor: ink, tickColor: ink, labelFontSize: 11.5,
      titleFontSize: 12.5, titleFontWeight: "normal" },
    legend: { labelColor: ink, titleColor: ink, labelFontSize: 11.5, titleFontSize: 12, orient: "bottom", titleFontWeight: "normal", symbolOpacity: 1 },
    header: { labelColor: ink, titleColor: ink, labelFontSize: 13, labelFontWeight: 600 },
    title: { color: ink },
    view: { stroke: "transparent" },
    text: { color: ink, fontSize: 11.5 },
    rule: { color: ink },
    mark: { color: night ? darkPalette[0] : palette[0] },
    line: { strokeWidth: 1.8 },
    range: { category: night ? darkPalette : palette },
  } as Config;
}

let printing = false;
/// On paper everything is drawn for a white page.
export function onPrint(draw: () => Promise<void>): void {
  window.addEventListener("beforeprint", () => { printing = true; void draw(); });
  window.addEventListener("afterprint", () => { printing = false; void draw(); });
}
