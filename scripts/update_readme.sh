#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/update_readme.sh [PROGRAM]: puts the findings of the shipped recording into README.md.
set -euo pipefail
cd "$(dirname "$0")/.."

program=${1:-build/release/plumb}
table=$(mktemp)
trap 'rm -f "$table"' EXIT
"$program" analyze --only dsm/pair --only dsm/mixed | sed 's/^./    &/' >"$table"
sed -i -e "/^<!-- findings/,/^<!-- end of findings/{/^<!--/!d}" -e "/^<!-- findings/r $table" README.md
