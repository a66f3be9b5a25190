#!/usr/bin/env bash
# Installs, quietly and once, what building and testing need and this Debian machine lacks.
set -euo pipefail

server_version() {  # of the newest server that is installed; nothing without one
  local server
  server=$(ls -d /usr/lib/postgresql/*/bin/postgres 2>/dev/null | sort -V | tail -n 1 || true)
  [ -z "$server" ] || basename "$(dirname "$(dirname "$server")")"
}
is_installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

install_packages() {
  local sudo="" log
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "dpmix: run once as root, or install: $*" >&2
      exit 1
    }
    sudo="sudo"
  fi
  echo "Installing: $*"
  log=$(mktemp)
  export DEBIAN_FRONTEND=noninteractive
  { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends "$@"; } \
    >"$log" 2>&1 </dev/null || { cat "$log" >&2; exit 1; }
  rm -f "$log"
}

packages=(g++ make libssl-dev libkrb5-dev libeigen3-dev libboost-dev libgtest-dev postgresql python3)
version=$(server_version)
packages+=("postgresql-server-dev-${version:-all}")
missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"

# For test/server/schedule/cron.test.sh and plain/beside.test.sh, which say so where there is none for this server.
for extension in cron pg-hint-plan; do
  package=postgresql-$(server_version)-$extension
  if ! is_installed "$package" && apt-cache show "$package" >/dev/null 2>&1; then
    (install_packages "$package") || echo "Testing without $package"
  fi
done
