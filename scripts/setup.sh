#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages of packages.txt that are missing, and nothing where none is. A package is there where
# dpkg says so, or where there is a command of its name: Node.js comes in many ways.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t wanted < <(grep -v '^#' packages.txt)
has_candidate() { apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [0-9]'; }
missing=()
for entry in "${wanted[@]}"; do
  package=${entry#\?}
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' && continue
  command -v "$package" >/dev/null && continue
  # One that may be missing is not asked for where this release has none, as far as apt's lists are here.
  if [ "$package" != "$entry" ] && compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
    has_candidate "$package" || continue
  fi
  missing+=("$entry")
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "These packages are missing: ${missing[*]#\?}" >&2
    echo "As root, run: apt-get install --no-install-recommends ${missing[*]#\?}" >&2
    exit 2
  fi
  sudo=(sudo)
fi
echo "Installing ${#missing[@]} packages: ${missing[*]#\?}"
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get update -qq
install=()
for entry in "${missing[@]}"; do
  if [ "${entry#\?}" = "$entry" ] || has_candidate "${entry#\?}"; then install+=("${entry#\?}"); fi
done
"${sudo[@]}" apt-get install -y -qq --no-install-recommends "${install[@]}" >/dev/null
