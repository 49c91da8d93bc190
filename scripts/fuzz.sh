#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/fuzz.sh BUILD SECONDS: runs each fuzzer of BUILD from the files that Plumb ships. What it learns is
# kept in BUILD/corpus-*; what breaks a reader is left in BUILD as crash-*, timeout-* or oom-*.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$1 seconds=$2
for target in machine pattern; do
  mkdir -p "$build/corpus-$target"
  seeds=fuzz/seeds/$target
  [ "$target" = machine ] && seeds=machines
  "$build/fuzz_$target" -max_total_time="$seconds" -timeout=10 -max_len=32768 -print_final_stats=1 \
    -dict=fuzz/$target.dict -artifact_prefix="$build/" "$build/corpus-$target" "$seeds"
done
