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
if [ "${1:-build}" = build ]; then
    npx vite build --logLevel warn
    exit
fi
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
npx vite build --logLevel warn --outDir "$built" --emptyOutDir
if ! diff -r "$built" ../../gateway/web/console; then
    echo "console: gateway/web/console is not what clients/console gives; run \`make console\`" >&2
    exit 1
fi
