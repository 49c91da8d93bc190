#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/update_docs.sh [BUILD]: makes every program output that stands in README.md and docs/ anew. Such an
# output is between a line `<!-- output: COMMAND -->` and a line `<!-- end of output -->`; COMMAND runs in an
# empty folder with the built plumb on its PATH.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath "${1:-build/release}")
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for document in README.md docs/*.md docs/experiments/*/*.md; do
  grep -q '^<!-- output: ' "$document" || continue
  while IFS= read -r line; do
    if [ -n "${skipping:-}" ]; then
      [ "$line" = '<!-- end of output -->' ] || continue
      skipping=
    fi
    printf '%s\n' "$line"
    if [[ $line =~ ^'<!-- output: '(.*)' -->'$ ]]; then
      (cd "$work" && PATH="$build:$PATH" bash -c "${BASH_REMATCH[1]}" </dev/null) | sed 's/^./    &/' |
        sed "s#$root/##g"
      skipping=1
    fi
  done <"$document" >"$work/new"
  cp "$work/new" "$document"
  rm -rf "${work:?}"/*
done
