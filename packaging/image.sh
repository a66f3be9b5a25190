#!/usr/bin/env bash
# Run by hand, as root: a container image of PostgreSQL with dpmix, made without a container engine. It is built from
# Debian's rootfs (debootstrap's minimal Debian), Debian's PostgreSQL and our package, and is not the official image.
#   packaging/image.sh [SUITE]     SUITE: bookworm (PostgreSQL 15; what is made otherwise), trixie (17), forky (18)
# The image is an OCI layout, build/image, with tag VERSION-SUITE. It is tried: unpacked, started by chroot, asked.
# Needs umoci. Folders: /tmp/dpmix-SUITE-base, -image (its files) and -container (where it was tried).
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/debian_lib.sh
. packaging/oci_lib.sh
suite=${1:-bookworm}
version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" dpmix.control)
base=/tmp/dpmix-$suite-base root=/tmp/dpmix-$suite-image container=/tmp/dpmix-$suite-container
debian_package "$suite"
deb=$(echo build/debian/"$suite"/postgresql-*-dpmix_*.deb)
major=$(basename "$deb" | tr -cd '0-9_' | cut -d_ -f1 | cut -c1-2)

rm -rf "$root"
cp -a "$base" "$root"
mkdir "$root/package"
cp "$deb" "$root/package"
in_debian "$root" bash -c '
  set -eu
  mkdir -p /etc/postgresql-common
  echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
  apt-get update -qq
  apt-get upgrade -y -qq >/dev/null
  apt-get install -y -qq --no-install-recommends /package/*.deb >/dev/null
  apt-get clean
' >"$root.log" 2>&1 || { tail -n 30 "$root.log"; exit 1; }
install -m 755 packaging/image/dpmix-server "$root/usr/local/bin"
(  # What the machine that builds is not to leave: keys, logs, lists, times; and what a server does not need.
  cd "$root"
  find usr/share/doc -type f ! -name copyright -delete
  find . -xdev -name '__pycache__' -prune -exec rm -rf {} +
  rm -rf package var/lib/apt/lists/* var/cache/{apt,ccache,debconf,ldconfig}/* var/log/* var/lib/dpkg/*-old tmp/* \
    run/* usr/share/{man,locale,info}/* etc/ssl/private/ssl-cert-snakeoil.key etc/ssl/certs/ssl-cert-snakeoil.pem \
    etc/{machine-id,hostname,resolv.conf,apt/apt.conf.d/90host,passwd-,group-,shadow-,gshadow-} usr/sbin/policy-rc.d
  sed -i 's/^\([^:]*:[^:]*\):[0-9]*:/\1::/' etc/shadow
  install -d -m 2775 -o "$(stat -c %u var/lib/postgresql)" -g "$(stat -c %g var/lib/postgresql)" run/postgresql
)
tag=$version-$suite
oci_image "$tag" "$root" --config.user=postgres --config.entrypoint=/usr/local/bin/dpmix-server \
  --config.workingdir=/var/lib/postgresql --config.volume=/var/lib/postgresql --config.exposedports=5432/tcp \
  --config.stopsignal=SIGINT --config.env=PGDATA=/var/lib/postgresql/data --config.env=LANG=C.UTF-8 \
  --config.env="PATH=/usr/lib/postgresql/$major/bin:/usr/local/bin:/usr/bin:/bin" \
  --config.label=org.opencontainers.image.title=dpmix --config.label=org.opencontainers.image.version="$version" \
  --config.label=org.opencontainers.image.licenses=PostgreSQL \
  --config.label=org.opencontainers.image.description="PostgreSQL $major with dpmix, built from Debian's rootfs ($suite)"
echo "build/image:$tag"

echo "== it is unpacked, started and asked"
rm -rf "$container"
oci_unpack "$tag" "$container"
packaging/image_use.sh "$container" | tee "build/image-$suite.log"
! grep -q '^not ok' "build/image-$suite.log"
