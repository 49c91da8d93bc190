// SPDX-License-Identifier: Apache-2.0
// What `plumb report` puts into the page; src/report/html writes it.

export type Value = string | number | boolean | null;
export type Row = Record<string, Value>;
export interface Column { name: string; title: string; unit: string }

export interface ChartBlock {
  kind: "chart"; id: string; title: string; summary: string; columns: Column[]; rows: Row[];
  spec: Record<string, unknown>; how: string;
}
export interface TableBlock {
  kind: "table"; id: string; title: string; columns: Column[]; rows: Row[]; how?: string; folded?: boolean;
}
export interface TextBlock { kind: "text" | "missing"; text: string }
export interface MinuteItem {
  label: string; value: string; unit: string; low?: string; high?: string; share?: string; advice: string; from: string;
}
export interface MinuteBlock { kind: "minute"; items: MinuteItem[] }

export interface Seat {
  sms: number[]; gpc: number | null; cpc: number | null; partition: number | null; lone: boolean;
  probability: number; evidence: string[];
}
export interface Fit { ranks: number; clusters: number; idle: number; sms: number[] }
export interface FloorBlock {
  kind: "floor-plan"; id: string; title: string; summary: string; fits: Fit[]; legs: Record<string, number>; how: string;
  map: { sms: number; gpcs: number; tpcs: Seat[]; partition_difference_cycles: number; methods: string[];
    agreements: { what: string; agree: number; judged: number; differences: string[] }[] };
}
export interface PathBlock {
  kind: "path"; id: string; title: string; summary: string;
  parts: { name: string; does: string; measured: string; by: string }[];
}
export type Block = ChartBlock | TableBlock | TextBlock | MinuteBlock | FloorBlock | PathBlock;
export interface Section { id: string; title: string; takeaway: string; blocks: Block[] }
export interface Part {
  gpu: string; hash: string; compute: string; sms: number; driver: string; cuda: string; sm_clock: number | null;
  sm_clock_most: number | null; memory_clock: number | null; ecc: string; date: string; command: string; tool: string;
  simulated: boolean; experiments: string; cases: number;
}
export interface Document { schema: number; title: string; parts: Part[]; warnings: string[]; sections: Section[] }
