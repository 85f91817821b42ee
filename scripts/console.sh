#!/usr/bin/env bash
# Build the console, or with `check` tell whether what is committed is what would be built.
set -euo pipefail
cd "$(dirname "$0")/../clients/console"
if ! command -v npm >/dev/null; then
    echo "console: npm is not here; the committed files stay as they are" >&2
    exit 0
fi
[ -d node_modules ] && [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund --silent
npm run --silent check

# The pages, which empty the folder, and behind them the checker of bundles as one file.
build() {
    npx vite build --logLevel warn "$@" --emptyOutDir
    npx vite build --logLevel warn --config vite.offline.config.ts "$@"
}

if [ "${1:-build}" = build ]; then
    build
    exit
fi
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
build --outDir "$built"
if ! diff -r "$built" ../../gateway/web/console; then
    echo "console: gateway/web/console is not what clients/console gives; run \`make console\`" >&2
    exit 1
fi
