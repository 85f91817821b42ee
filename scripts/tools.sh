#!/bin/sh
# Put tools that tests use into .tools: `make tools`. kustomize (k8s/) and grpcurl (docs/clients.md)
# come from the Go module proxy, at versions that are pinned here and that Go checks against its
# checksum database; prometheus and promtool come from Debian's package, which apt checks, and are
# not installed. What cannot be had here is said, and what needs it says that it skips.
# `scripts/tools.sh ghz` builds ghz as well, minutes of work that bench/load alone needs.
set -eu
cd "$(dirname "$0")/.."
mkdir -p .tools

built() {
    [ -x ".tools/$1" ] || GOBIN="$PWD/.tools" GOFLAGS=-mod=mod go install "$2" ||
        echo "tools: $1 could not be built" >&2
}

if command -v go >/dev/null; then
    built kustomize sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
    built grpcurl github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3
    [ "${1:-}" != ghz ] || built ghz github.com/bojand/ghz/cmd/ghz@v0.120.0
else
    echo "tools: there is no Go here, and so no kustomize and grpcurl" >&2
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
