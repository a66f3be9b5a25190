# Sourced: OCI images of folders, written by umoci, without a container engine.
#   oci_image TAG FOLDER OPTION...   in build/image, of one layer: FOLDER as it is, with the time of debian/changelog.
#                                    OPTION: of umoci config. The same files make the same bytes.
#   oci_unpack TAG FOLDER            rootfs and config.json, as a runtime would have them
oci_image() {
  local tag=$1 folder=$2 layout=build/image epoch created layer
  shift 2
  command -v umoci >/dev/null || { echo "install umoci" >&2; return 1; }
  epoch=$(dpkg-parsechangelog --show-field Timestamp)
  created=$(date --utc --date="@$epoch" +%Y-%m-%dT%H:%M:%SZ)
  layer=$(mktemp)
  tar --create --directory="$folder" --sort=name --format=gnu --numeric-owner --mtime="@$epoch" --exclude='./dev/*' \
    --file="$layer" .
  [ -e "$layout/index.json" ] || { mkdir -p build; umoci init --layout "$layout"; }
  umoci new --image "$layout:$tag"
  umoci raw add-layer --history.created="$created" --history.created_by=dpmix --image "$layout:$tag" "$layer"
  umoci config --image "$layout:$tag" --no-history --created="$created" --os=linux \
    --architecture="$(dpkg --print-architecture)" "$@"
  rm "$layer"
  umoci gc --layout "$layout"
}
oci_unpack() { umoci unpack --image "build/image:$1" "$2"; }
