#!/usr/bin/env bash
# Run by hand, as root: dpmix as an image volume of CloudNativePG, made and tried without Kubernetes or a container
# engine. The server finds it by extension_control_path and dynamic_library_path, which PostgreSQL 18 brought.
#   packaging/cloudnativepg.sh [SUITE]     SUITE: a Debian with PostgreSQL 18 or later (forky)
# The folder is build/cloudnativepg (lib, share, licenses, Dockerfile, metadata.hcl); the image, in the OCI layout
# build/image, has the tag cloudnativepg-VERSION-MAJOR-SUITE. Tried in /tmp/dpmix-SUITE-cloudnativepg, with Debian's
# server, where the folder is mounted as CloudNativePG mounts it, and none of our packages is installed.
# The library needs the C and C++ libraries of the Debian that it was built on: SUITE is that of the server's image.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/debian_lib.sh
. packaging/oci_lib.sh
suite=${1:-forky}
version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" dpmix.control)
base=/tmp/dpmix-$suite-base root=/tmp/dpmix-$suite-cloudnativepg folder=build/cloudnativepg
debian_package "$suite"
deb=$(echo build/debian/"$suite"/postgresql-*-dpmix_*.deb)
package=$(basename "${deb%%_*}") major=${deb##*/postgresql-} major=${major%%-*}
debian_version=$(dpkg-deb --field "$deb" Version)
[ "$major" -ge 18 ] || { echo "cloudnativepg: $suite has PostgreSQL $major, which has no extension_control_path" >&2; exit 1; }

unpacked=$(mktemp -d)
dpkg-deb --extract "$deb" "$unpacked"
rm -rf "$folder"
mkdir -p "$folder"/{image/lib,image/share/extension,"image/licenses/$package"}
cp "$unpacked/usr/lib/postgresql/$major/lib"/dpmix*.so "$folder/image/lib"
cp "$unpacked/usr/share/postgresql/$major/extension"/dpmix* "$folder/image/share/extension"
cp "$unpacked/usr/share/doc/$package/copyright" "$folder/image/licenses/$package"
rm -rf "$unpacked"
chmod -R u=rwX,go=rX "$folder"
oci_image "cloudnativepg-$version-$major-$suite" "$folder/image" --config.user=65532:65532
mv "$folder"/image/* "$folder"
rmdir "$folder/image"
cp packaging/cloudnativepg/Dockerfile "$folder"
sed -e "s/SUITE/$suite/; s/MAJOR/$major/; s/PACKAGE/$debian_version/; s/\"VERSION\"/\"$version\"/" \
  packaging/cloudnativepg/metadata.hcl >"$folder/metadata.hcl"
ls -R "$folder"

rm -rf "$root"
cp -a "$base" "$root"
mkdir -p "$root/extensions/dpmix" "$root/package"
oci_unpack "cloudnativepg-$version-$major-$suite" "$root/volume"
cp packaging/package_use.sh packaging/cloudnativepg_use.sh "$root/package"
in_debian "$root" bash /package/cloudnativepg_use.sh "$major" | tee "$folder/use.log"
! grep -q '^not ok' "$folder/use.log"
