# shellcheck shell=bash
# shellcheck disable=SC2154 # build.sh sets what this does not
# Part of build.sh: compiles everything from Go modules into $work/bin.

# The flags of the workshop's own control plane, so that a machine which has built
# that one compiles the API server and etcd no second time.
mapfile -t flags < <(grep -v -e '^#' -e '^$' ../../cmd/controlplane/buildflags.txt)

# build PACKAGE [FLAGS...]: the last part of the package's name becomes the program's.
build() {
  local package=$1 name=${1##*/}
  shift
  case $package in
    go.etcd.io/etcd/*) name=etcd ;;
    ./*) package=example.com/client-go-workshop/scripts/node-image/${package#./} ;;
  esac
  logged go build -buildvcs=false "${flags[@]}" "$@" -o "$work/bin/$name" "$package"
}

part "Kubernetes $version and etcd, from source"
for command in kube-apiserver kube-controller-manager kube-scheduler kube-proxy kubeadm kubelet kubectl; do
  echo "  $command"
  build "k8s.io/kubernetes/cmd/$command"
done
echo "  etcd"
build go.etcd.io/etcd/server/v3

part "containerd, runc and what goes with them, from source"
containerd=github.com/containerd/containerd/v2
stamp="-s -w -X $containerd/version.Version=$(go list -m -f '{{.Version}}' $containerd)"
for command in containerd ctr containerd-shim-runc-v2; do
  echo "  $command"
  build "$containerd/cmd/$command" -tags=no_btrfs,no_devmapper,no_zfs -ldflags="$stamp"
done
echo "  runc"
build github.com/opencontainers/runc -tags=seccomp
echo "  crictl"
build sigs.k8s.io/cri-tools/cmd/crictl
echo "  network plugins"
for plugin in main/bridge main/loopback main/ptp meta/portmap ipam/host-local; do
  build "github.com/containernetworking/plugins/plugins/$plugin"
done
echo "  CoreDNS"
build ./coredns

# licences PROGRAM...: the licence texts of every module in the programs, as the
# programs themselves name them, into $work/licenses.
licences() {
  local cache escaped from path version
  cache=$(go env GOMODCACHE)
  go version -m "$@" | awk '$1 == "dep" { d = $2 " " $3 } $1 == "=>" { d = $2 " " $3 } $1 ~ /^(dep|=>)$/ { print d }' | sort -u |
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
licences "$work"/bin/*
