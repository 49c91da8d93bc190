// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

/// Lets the page run its own script and nothing else: whatever a recording smuggles in has another hash.
function policy(): Plugin {
  return {
    name: "plumb-policy",
    apply: "build",
    closeBundle() {
      const file = resolve(__dirname, "dist/index.html");
      const html = readFileSync(file, "utf8");
      const scripts = [...html.matchAll(/<script type="module"[^>]*>([\s\S]*?)<\/script>/g)].map((m) => m[1]);
      if (scripts.length !== 1) throw new Error(`the page must have one script and has ${scripts.length}`);
      const hash = createHash("sha256").update(scripts[0]).digest("base64");
      const rule =
        `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:; ` +
        `base-uri 'none'; form-action 'none'`;
      const out = html.replace("<head>", () => `<head>\n<meta http-equiv="Content-Security-Policy" content="${rule}">`);
      writeFileSync(file, out);
    },
  };
}

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), policy()],
  build: { target: "es2022", chunkSizeWarningLimit: 4000, reportCompressedSize: false },
  logLevel: "warn",
});
