import { fileURLToPath } from "node:url";

import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// The tests as one module that Node runs: `npx vite build --config vite.tests.config.ts --outDir FOLDER`.
export default defineConfig({
  resolve: { alias: { "@gen": here("../typescript/gen") }, dedupe: ["@bufbuild/protobuf"] },
  ssr: { noExternal: true },
  build: { ssr: here("tests/proof.test.ts"), target: "node20", emptyOutDir: true, minify: false },
});
