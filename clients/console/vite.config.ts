import { fileURLToPath } from "node:url";

import preact from "@preact/preset-vite";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// The messages are those of the TypeScript client: one contract, generated once.
export default defineConfig({
  plugins: [preact()],
  resolve: {
    alias: { "@gen": here("../typescript/gen") },
    dedupe: ["@bufbuild/protobuf"],
  },
  build: {
    outDir: here("../../gateway/web/console"),
    emptyOutDir: true,
    target: "es2022",
    sourcemap: false,
    chunkSizeWarningLimit: 1200,
    assetsInlineLimit: 0, // the content security policy takes no data: for scripts and styles
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/assay.gateway.v1": "http://127.0.0.1:7480", "/who": "http://127.0.0.1:7480" } },
});
