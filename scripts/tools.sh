#!/bin/sh
# Put the tools that tests of k8s/ use into .tools: `make tools`. kustomize comes from the Go module
# proxy, at a version that is pinned here and that Go checks against its checksum database;
# prometheus and promtool come from Debian's package, which apt checks, and are not installed.
# What cannot be had here is said, and the tests that need it say that they skip.
set -eu
cd "$(dirname "$0")/.."
mkdir -p .tools

if ! command -v go >/dev/null; then
    echo "tools: there is no Go here, and so no kustomize" >&2
elif [ ! -x .tools/kustomize ]; then
    GOBIN="$PWD/.tools" GOFLAGS=-mod=mod go install sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
fi

fetched() {
    (cd "$1" && apt-get download -qq prometheus) >/dev/null 2>&1
}

if ! command -v promtool >/dev/null && [ ! -x .tools/promtool ]; then
    package=$(mktemp -d)
    trap 'rm -rf "$package"' EXIT
    if fetched "$package" || { apt-get update -qq >/dev/null 2>&1 && fetched "$package"; }; then
        dpkg -x "$package"/prometheus_*.deb "$package"
        cp "$package/usr/bin/prometheus" "$package/usr/bin/promtool" .tools
    else
        echo "tools: Debian's package prometheus cannot be had here, and so no promtool" >&2
    fi
fi
