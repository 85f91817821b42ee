#!/bin/sh
# Gather into a folder all that `scripts/image.sh` installs, for a place without an index:
# `scripts/wheels.sh wheels` where there is one, then `WHEELS=wheels scripts/image.sh /opt/assay`
# where there is none. Each file is held against its hash, here and there; the embedding model's
# weights are among them. They are for this kind of machine and this version of Python.
# What is published as source alone is built where it is installed, by the setuptools among them.
set -eu
to=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
for list in build image model; do
    "${PYTHON:-python3}" -m pip download --quiet --no-deps --require-hashes --prefer-binary \
        --dest "$to" -r "requirements/$list.txt"
done
