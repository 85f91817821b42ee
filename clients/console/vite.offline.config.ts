import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";

import preact from "@preact/preset-vite";
import { defineConfig, type Plugin } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const hashed = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Script and style into the page itself, which then runs nothing else and asks nobody. */
function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      let [script, style] = ["", ""];
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === "chunk") script += file.code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
        else if (name.endsWith(".css")) style += String(file.source);
        else continue;
        delete bundle[name];
      }
      const page = bundle["check.html"];
      if (page?.type !== "asset" || !script) this.error("there is no page, or no script for it");
      const policy = `default-src 'none'; script-src ${hashed(script)}; style-src ${hashed(style)}; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'`;
      const bare = String(page.source).replaceAll(/\s*<script\b[^>]*><\/script>|\s*<link rel="(?:stylesheet|modulepreload)"[^>]*>/g, "");
      page.source = bare
        .replace("<meta charset", () => `<meta http-equiv="Content-Security-Policy" content="${policy}" />\n    <meta charset`)
        .replace("</head>", () => `<style>${style}</style>\n  </head>`)
        .replace("</body>", () => `<script type="module">${script}</script>\n  </body>`);
    },
  };
}

// The checker as one file without a server: `npx vite build --config vite.offline.config.ts`, behind the console's own build.
export default defineConfig({
  plugins: [preact(), oneFile()],
  publicDir: false,
  resolve: { alias: { "@gen": here("../typescript/gen") }, dedupe: ["@bufbuild/protobuf"] },
  build: {
    outDir: here("../../gateway/web/console"),
    emptyOutDir: false,
    target: "es2022",
    cssCodeSplit: false,
    sourcemap: false,
    chunkSizeWarningLimit: 1200,
    modulePreload: false,
    rollupOptions: { input: here("check.html") },
  },
});
