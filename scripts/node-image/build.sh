#!/usr/bin/env bash
# Builds a node image for kind from Debian packages and Go modules alone, for
# places that reach no image registry. Needs Debian, root, Go and Docker.
#
# usage: scripts/node-image/build.sh [--tag TAG] [--print-tag] [--force] [--save FILE]
#
#   --tag TAG     the image's name; default client-go-workshop/node:<version>
#   --print-tag   print that name and do nothing
#   --force       build although an image of these very sources is there
#   --save FILE   write the image to FILE as well, for `docker load`
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
export GOFLAGS=${GOFLAGS:-} GOGC=${GOGC:-400}

version=$(awk '$1 == "k8s.io/kubernetes" && $2 ~ /^v/ { print $2; exit }' go.mod)
tag=client-go-workshop/node:$version force='' save=''
while [ $# -gt 0 ]; do
  case $1 in
    --tag)
      tag=${2:?--tag wants a name}
      shift
      ;;
    --print-tag)
      echo "$tag"
      exit
      ;;
    --force) force=yes ;;
    --save)
      save=$(realpath -m "${2:?--save wants a file}")
      shift
      ;;
    -h | --help)
      sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
      exit
      ;;
    *)
      echo "build.sh: there is no option $1; -h lists them" >&2
      exit 2
      ;;
  esac
  shift
done

fail() {
  echo "node image: $1" >&2
  exit "${2:-1}"
}

# What the image is made of decides whether one that is there will do.
key=$({
  cat build.sh binaries.sh rootfs.sh images.sh go.mod go.sum containerd/go.mod containerd/go.sum coredns/main.go network/* ../../cmd/controlplane/buildflags.txt
  go env GOARCH
  sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
} | sha256sum | cut -c1-16)

save_image() {
  [ -n "$save" ] || return 0
  echo "saving $tag to $save"
  mkdir -p "$(dirname "$save")"
  if command -v zstd >/dev/null && [[ $save == *.zst ]]; then
    docker save "$tag" | zstd -q -T0 -f -o "$save"
  else
    docker save -o "$save" "$tag"
  fi
}

command -v go >/dev/null || fail "there is no go command; install Go from https://go.dev/dl/" 2
command -v docker >/dev/null || fail "there is no docker command; on Debian: apt-get install docker.io" 2
docker info >/dev/null 2>&1 || fail "the Docker daemon does not answer; start it, for example: systemctl start docker" 2
if [ -z "$force" ] && [ "$(docker image inspect -f '{{index .Config.Labels "workshop.key"}}' "$tag" 2>/dev/null)" = "$key" ]; then
  echo "node image: $tag is there already, built from these sources"
  save_image
  exit
fi
[ "$(id -u)" = 0 ] || fail "debootstrap and chroot need root; run it with sudo" 2
# shellcheck source=/dev/null # Debian's own
codename=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") ||
  fail "this is not Debian: the programs are linked with the libraries of the Debian release that they are built on" 2
missing=''
for program in debootstrap:debootstrap gcc:gcc pkg-config:pkg-config jq:jq; do
  command -v "${program%:*}" >/dev/null || missing+=" ${program#*:}"
done
pkg-config --exists libseccomp 2>/dev/null || missing+=" libseccomp-dev"
if [ -n "$missing" ]; then
  echo "installing what the build needs:$missing"
  # shellcheck disable=SC2086 # one argument a package
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libc6-dev $missing; } >/dev/null ||
    fail "apt-get could not install$missing"
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/node-image.XXXXXX")
container=node-image-$key
trap 'docker rm -f -v "$container" >/dev/null 2>&1; docker rmi "$container" >/dev/null 2>&1; rm -rf "$work"' EXIT
free=$(df --output=avail -m "$work" | tail -1)
[ "$free" -ge 6000 ] || fail "$work has $free MB free, and the build takes 6000; make room or set TMPDIR to a folder on another disk"

# The programs take most of the time, so they outlive a run that fails.
bin=${XDG_CACHE_HOME:-$HOME/.cache}/client-go-workshop/node-image/$(cat binaries.sh go.mod go.sum containerd/go.mod containerd/go.sum coredns/main.go ../../cmd/controlplane/buildflags.txt | sha256sum | cut -c1-16)
mkdir -p "$bin"
export bin here work version codename tag key container

steps=7 step=0
# part says what begins, how far the build is, and for how long it has run.
part() {
  step=$((step + 1))
  printf '[%d/%d] %s (%d min %02d s)\n' "$step" "$steps" "$1" $((SECONDS / 60)) $((SECONDS % 60))
}
# logged WHAT COMMAND...: keeps a noisy command's output for the case that it fails.
logged() {
  local what=$1
  shift
  "$@" >"$work/log" 2>&1 || {
    tail -n 20 "$work/log" >&2
    fail "$what failed; above are its last lines"
  }
}

echo "building $tag: Kubernetes $version on Debian $codename, some 20 minutes on two cores the first time"
# shellcheck source=binaries.sh
. ./binaries.sh
# shellcheck source=rootfs.sh
. ./rootfs.sh
# shellcheck source=images.sh
. ./images.sh
printf 'built %s in %d min %02d s: %s\n' "$tag" $((SECONDS / 60)) $((SECONDS % 60)) "$(docker image inspect -f '{{.Size}}' "$tag" | numfmt --to=iec)"
rm -rf "$bin"
save_image
