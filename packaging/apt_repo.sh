#!/usr/bin/env bash
# make apt-repo: an apt repository of the Debian packages, in build/apt: plain files, for any web server. As root.
#   packaging/apt_repo.sh [--sign KEY] [SUITE...]
# SUITE: bookworm (PostgreSQL 15; the one that is made if none is named), trixie (17), forky (18)
# KEY: a secret key of gpg's keyring, as `gpg --list-secret-keys` names it; its public half is dpmix-archive.asc in the
# repository. Without a key nothing is signed: apt then installs only where it is told [trusted=yes], and whoever can
# change the files, or what is sent, changes what is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/debian_lib.sh
key=
[ "${1:-}" != --sign ] || { key=${2:?--sign KEY}; shift 2; }
[ $# -gt 0 ] || set -- bookworm
command -v apt-ftparchive >/dev/null || { echo "apt_repo: install apt-utils" >&2; exit 1; }
repository=build/apt
rm -rf "$repository"
mkdir -p "$repository"
[ -z "$key" ] || gpg --batch --armor --export "$key" >"$repository/dpmix-archive.asc"
[ -z "$key" ] || [ -s "$repository/dpmix-archive.asc" ] || { echo "apt_repo: gpg has no key $key" >&2; exit 1; }

for suite in "$@"; do
  debian_package "$suite"
  pool=pool/$suite dist=dists/$suite
  mkdir -p "$repository/$pool"
  cp build/debian/"$suite"/{*.deb,*.cdx.json,*.dsc,*.orig.tar.*,*.debian.tar.*} "$repository/$pool"
  (
    cd "$repository"
    mkdir -p "$dist/main/binary-amd64" "$dist/main/source"
    apt-ftparchive packages "$pool" >"$dist/main/binary-amd64/Packages"
    apt-ftparchive sources "$pool" >"$dist/main/source/Sources"
    gzip -9nk "$dist/main/binary-amd64/Packages" "$dist/main/source/Sources"
    option() { echo "-o=APT::FTPArchive::Release::$1=$2"; }
    apt-ftparchive "$(option Origin dpmix)" "$(option Label dpmix)" "$(option Suite "$suite")" \
      "$(option Codename "$suite")" "$(option Architectures amd64)" "$(option Components main)" \
      release "$dist" >Release
    mv Release "$dist"
    [ -z "$key" ] || gpg --batch --yes --local-user "$key" --clearsign --output "$dist/InRelease" "$dist/Release"
    [ -z "$key" ] || gpg --batch --yes --local-user "$key" --armor --detach-sign --output "$dist/Release.gpg" "$dist/Release"
  )
done

if [ -n "$key" ]; then
  echo "$repository is signed by $key. On a machine that installs from it:"
  echo "  wget -P /etc/apt/keyrings https://YOUR.SERVER/dpmix-archive.asc"
  trust="[signed-by=/etc/apt/keyrings/dpmix-archive.asc]"
else
  echo "$repository is NOT SIGNED. A machine that installs from it has to trust whoever serves it:"
  trust="[trusted=yes]"
fi
for suite in "$@"; do
  echo "  echo 'deb $trust https://YOUR.SERVER $suite main' >/etc/apt/sources.list.d/dpmix-archive.list"
done
