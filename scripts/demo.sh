#!/bin/sh
# The main job on example data: `make demo`. Writes below the folder it is given, nowhere else.
set -eu
cd "$(dirname "$0")/.."
folder=$1
mkdir -p "$folder"
export ASSAY_HOME="$folder/home"

# Where the first command starts a mesh in the background, the last ends it.
trap 'assay down >/dev/null' EXIT

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}

python -m examples.retailer "$folder"
show assay ask "monthly revenue by region in 2025" \
    --db "sqlite:///$folder/shop.sqlite" --deliver table,chart,report,summary
job=$(assay jobs --json | python -c 'import json, sys; print(json.load(sys.stdin)["jobs"][0]["job"])')
show assay verify "$job"
show assay export "$job" --to "$folder/proof.zip"
show assay verify "$folder/proof.zip"
# What the promotion did to spending: the example data says (examples/README.md), a plain comparison does not.
show assay causal --data "$folder/customers.json" --treatment received_promotion \
    --outcome spend_60_days_after --knowledge examples/promotion.yaml
# All of it in a browser.
printf '\nconsole     http://127.0.0.1:7480, by the link that this prints: assay up --home %s\n' "$ASSAY_HOME"
