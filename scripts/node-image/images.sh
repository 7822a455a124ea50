# shellcheck shell=bash
# shellcheck disable=SC2154 # build.sh sets what this does not
# Part of build.sh: makes the control plane's images, puts them into the node's
# containerd and commits the node image.

# kubeadm says which names and versions it will ask for.
wanted=$("$bin/kubeadm" config images list --kubernetes-version "$version" 2>/dev/null)
# named COMPONENT: the image that kubeadm wants for it.
named() { grep -E "/$1:" <<<"$wanted" || fail "kubeadm asks for no image $1"; }

# with_libraries DIR FILE...: copies files of the node's file system and the shared
# libraries that they are linked with.
with_libraries() {
  local dir=$1 file
  shift
  for file in "$@" $(for f in "$@"; do chroot "$rootfs" ldd "$f" 2>/dev/null | grep -o '/[^ )]*'; done | sort -u); do
    [ -e "$dir$file" ] || install -D "$rootfs$file" "$dir$file"
  done
}

# archive DIR ENTRYPOINT IMAGE...: an image with DIR as its only layer, under these
# names, in the form of `docker save`. Docker itself never sees it, so that no
# image of the same name on this machine is touched.
archive() {
  local dir=$1 entrypoint=$2 out
  shift 2
  out=$work/archive/$(basename "$dir")
  mkdir -p "$out"
  tar -C "$dir" --owner=0 --group=0 -cf "$out/layer.tar" .
  jq -n --arg arch "$(go env GOARCH)" --arg entrypoint "$entrypoint" --arg layer "sha256:$(sha256sum "$out/layer.tar" | cut -d' ' -f1)" '{
    architecture: $arch, os: "linux", rootfs: {type: "layers", diff_ids: [$layer]},
    config: {Entrypoint: [$entrypoint], Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]}
  }' >"$out/config.json"
  jq -n '[{Config: "config.json", RepoTags: $ARGS.positional, Layers: ["layer.tar"]}]' --args "$@" >"$out/manifest.json"
}

part "the control plane's images"
for component in kube-apiserver kube-controller-manager kube-scheduler kube-proxy etcd coredns; do
  install -m 755 "$bin/$component" "$rootfs/usr/local/bin/"
  dir=$work/image/$component
  mkdir -p "$dir"/{etc,tmp}
  echo 'root:x:0:0:root:/root:/sbin/nologin' >"$dir/etc/passwd"
  echo 'hosts: files dns' >"$dir/etc/nsswitch.conf"
  with_libraries "$dir" "/usr/local/bin/$component"
  rm "$rootfs/usr/local/bin/$component"
done
# kube-proxy calls iptables, which comes in two kinds, and nft.
dir=$work/image/kube-proxy
extensions=$(cd "$rootfs" && find usr/lib/*/xtables -name '*.so' -printf '/%p\n')
# shellcheck disable=SC2086 # one argument a file
with_libraries "$dir" /usr/sbin/nft /usr/sbin/xtables-nft-multi /usr/sbin/xtables-legacy-multi /usr/sbin/conntrack /bin/dash /bin/kmod $extensions
ln -s dash "$dir/bin/sh"
ln -s ../../bin/kmod "$dir/usr/sbin/modprobe"
for name in ip{,6}tables{,-save,-restore}; do
  ln -s xtables-nft-multi "$dir/usr/sbin/$name"
done
for component in kube-apiserver kube-controller-manager kube-scheduler kube-proxy etcd coredns; do
  image=$(named "$component")
  archive "$work/image/$component" "/usr/local/bin/$component" "$image"
done
# The pause container holds a pod's namespaces and buries orphans. Besides kubeadm,
# containerd's configuration and the chapters' pods ask for it.
mkdir -p "$work/image/pause"
cat >"$work/pause.c" <<'C'
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void leave(int signal) { (void)signal; _exit(0); }

static void bury(int signal) {
  (void)signal;
  while (waitpid(-1, NULL, WNOHANG) > 0) {}
}

int main(void) {
  signal(SIGINT, leave);
  signal(SIGTERM, leave);
  signal(SIGCHLD, bury);
  for (;;) pause();
}
C
gcc -Os -static -s -o "$work/image/pause/pause" "$work/pause.c"
image=$(named pause)
mapfile -t names < <(printf '%s\n' "$image" registry.k8s.io/pause:3.{9,10} \
  "$(sed -n 's/^ *sandbox_image = "\(.*\)"/\1/p' "$rootfs/etc/containerd/config.toml")" | sort -u)
archive "$work/image/pause" /pause "${names[@]}"

part "the node's file system as an image"
tar -C "$rootfs" --exclude='./proc/*' --exclude='./sys/*' --exclude='./dev/*' -c . | docker import - "$container" >/dev/null

part "the images into the node's containerd"
# commit takes the signal from the container that it finds.
docker run -d --name "$container" --stop-signal SIGRTMIN+3 --entrypoint sleep --security-opt seccomp=unconfined "$container" infinity >/dev/null
docker exec -d "$container" containerd
for ((i = 0; i < 60; i++)); do
  docker exec "$container" ctr version >/dev/null 2>&1 && break
  sleep 1
done
for dir in "$work"/archive/*; do
  tar -C "$dir" -c . | logged "the import of $(basename "$dir")" docker exec -i "$container" ctr --namespace=k8s.io images import --all-platforms --no-unpack -
done
docker exec "$container" sh -c 'pkill containerd; sleep 1; rm -rf /run/containerd /tmp/*'
docker commit --change 'ENTRYPOINT ["/usr/local/bin/entrypoint", "/sbin/init"]' --change 'ENV container=docker' \
  --change "LABEL workshop.key=$key" "$container" "$tag" >/dev/null
