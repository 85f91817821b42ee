#!/bin/sh
# Build the tools that tests of k8s/ and clients/ use into .tools, from the Go module proxy: `make tools`.
# Versions are pinned here; Go checks what it fetches against its checksum database.
set -eu
cd "$(dirname "$0")/.."
command -v go >/dev/null || {
    echo "tools: there is no Go here; tests that need kustomize or grpcurl will say that they skip." >&2
    exit 0
}
mkdir -p .tools
GOBIN="$PWD/.tools" GOFLAGS=-mod=mod go install sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
GOBIN="$PWD/.tools" GOFLAGS=-mod=mod go install github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3
