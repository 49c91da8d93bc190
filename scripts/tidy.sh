#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/tidy.sh BUILD JOBS [FILE...]: clang-tidy over the C++ sources that BUILD compiles, or over FILEs.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$1 jobs=$2
shift 2
if [ $# -eq 0 ]; then
  mapfile -t files < <(git ls-files 'src/*.cpp' 'tests/*.cpp' 'bench/*.cpp' | while read -r file; do
    grep -q "\"file\": \"$PWD/$file\"" "$build/compile_commands.json" && echo "$file"; done)
  set -- "${files[@]}"
fi
# Its clang cannot read what g++ has precompiled; the headers themselves it can.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
sed -E 's/ -Winvalid-pch| -fpch-preprocess| -include [^ ]*cmake_pch\.hxx//g' "$build/compile_commands.json" >"$commands/compile_commands.json"
printf '%s\0' "$@" | xargs -0 -n 1 -P "$jobs" clang-tidy --quiet -p "$commands" 2> >(grep -v 'warnings generated' >&2)
