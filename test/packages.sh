#!/usr/bin/env bash
# Installs, quietly and once, what building and testing need and this Debian machine lacks.
set -euo pipefail

packages=(g++ make libssl-dev libeigen3-dev libboost-dev libgtest-dev postgresql python3)
server=$(ls -d /usr/lib/postgresql/*/bin/postgres 2>/dev/null | sort -V | tail -n 1 || true)
if [ -n "$server" ]; then
  version=$(basename "$(dirname "$(dirname "$server")")")
  packages+=("postgresql-server-dev-$version")
  # For one test, which is left out where there is none for this server.
  cron=postgresql-$version-cron
  ! apt-cache show "$cron" >/dev/null 2>&1 || packages+=("$cron")
else
  packages+=(postgresql-server-dev-all)
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "dpmix: run once as root, or install: ${missing[*]}" >&2
    exit 1
  }
  sudo="sudo"
fi
echo "Installing: ${missing[*]}"
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
{ $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}"; } \
  >"$log" 2>&1 </dev/null || { cat "$log" >&2; exit 1; }
rm -f "$log"
