# shellcheck shell=bash
# shellcheck disable=SC2154 # build.sh sets what this does not
# Part of build.sh: compiles everything from Go modules into $bin.

# The flags of the workshop's own control plane, so that a machine which has built
# that one compiles the API server and etcd no second time.
mapfile -t flags < <(grep -v -e '^#' -e '^$' ../../cmd/controlplane/buildflags.txt)

# build PACKAGE [FLAGS...]: the last part of the package's name becomes the program's.
# A program that an interrupted run built is taken as it is.
build() {
  local package=$1 name=${1##*/} module=.
  shift
  case $package in
    go.etcd.io/etcd/*) name=etcd ;;
    github.com/containerd/containerd/*) module=containerd ;;
  esac
  [ -e "$bin/$name" ] && return
  echo "  $name"
  logged "the build of $name" go -C "$module" build -buildvcs=false "${flags[@]}" "$@" -o "$work/$name" "$package"
  mv "$work/$name" "$bin/$name"
}

part "Kubernetes $version and etcd, from source"
for command in kube-apiserver kube-controller-manager kube-scheduler kube-proxy kubeadm kubelet kubectl; do
  build "k8s.io/kubernetes/cmd/$command"
done
build go.etcd.io/etcd/server/v3

part "containerd, runc and what goes with them, from source"
# containerd has a module of its own: it is made for an older version of cri-api.
containerd=github.com/containerd/containerd/v2
stamp="-s -w -X $containerd/version.Version=$(awk -v m=$containerd '$1 == m { print $2 }' containerd/go.mod)"
for command in containerd ctr containerd-shim-runc-v2; do
  build "$containerd/cmd/$command" -tags=no_btrfs,no_devmapper,no_zfs -ldflags="$stamp"
done
build github.com/opencontainers/runc -tags=seccomp
build sigs.k8s.io/cri-tools/cmd/crictl
for plugin in main/bridge main/loopback main/ptp meta/portmap ipam/host-local; do
  build "github.com/containernetworking/plugins/plugins/$plugin"
done
build ./coredns

# licences PROGRAM...: the licence texts of every module in the programs, as the
# programs themselves name them, into $work/licenses.
licences() {
  local cache escaped from path version
  cache=$(go env GOMODCACHE)
  go version -m "$@" | awk '$1 ~ /^(dep|mod|=>)$/ && $3 ~ /^v/ { print $2, $3 }' | sort -u |
    while read -r path version; do
      # The cache spells a capital letter as ! and the small one.
      # shellcheck disable=SC2001 # the pattern needs sed
      escaped=$(sed 's/[A-Z]/!\L&/g' <<<"$path@$version")
      for from in "$cache/$escaped"/{LICENSE,LICENCE,COPYING,NOTICE}*; do
        [ -f "$from" ] || continue
        install -D -m 644 "$from" "$work/licenses/$path@$version/${from##*/}"
      done
    done
}
licences "$bin"/*
