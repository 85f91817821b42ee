#!/bin/sh
# Build into .tools, from the Go module proxy: kustomize, which tests of k8s/ use, and ghz, which
# bench/load sends calls with: `make tools`.
# Versions are pinned here; Go checks what it fetches against its checksum database.
set -eu
cd "$(dirname "$0")/.."
command -v go >/dev/null || {
    echo "tools: there is no Go here; tests that need kustomize will say that they skip." >&2
    exit 0
}
mkdir -p .tools
GOBIN="$PWD/.tools" GOFLAGS=-mod=mod go install sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
GOBIN="$PWD/.tools" GOFLAGS=-mod=mod go install github.com/bojand/ghz/cmd/ghz@v0.120.0 ||
    echo "tools: ghz could not be built; python -m bench.load needs it" >&2
