#!/bin/sh
# Build the site of the documentation into .assay/site/html: `make site`. What builds it is installed
# apart from .venv, once, and again when its lock has changed. Broken links and anchors fail.
set -eu
cd "$(dirname "$0")/.."
site=.assay/site
if ! cmp -s requirements/docs.txt "$site/installed.txt"; then
    . scripts/index.sh
    rm -rf "$site/venv"
    mkdir -p "$site"
    .venv/bin/python -m venv --without-pip "$site/venv"
    .venv/bin/uv pip sync --quiet --compile-bytecode --require-hashes --python "$site/venv/bin/python" \
        requirements/docs.txt
    cp requirements/docs.txt "$site/installed.txt"
fi
.venv/bin/python -m scripts.site "$site/pages"
# Material warns of a mkdocs that does not exist yet, which the lock keeps away.
if ! NO_MKDOCS_2_WARNING=1 "$site/venv/bin/python" -m mkdocs build --strict >"$site/build.log" 2>&1; then
    grep -v '^INFO' "$site/build.log" >&2
    exit 1
fi
echo "site: $site/html/index.html"
