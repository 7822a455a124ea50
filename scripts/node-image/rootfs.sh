# shellcheck shell=bash
# shellcheck disable=SC2154 # build.sh sets what this does not
# Part of build.sh: makes the node's file system in $work/rootfs.

rootfs=$work/rootfs

part "Debian $codename"
# The mirror that this machine's apt uses.
# shellcheck disable=SC2016 # apt-get expands these
mirror=$(apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
  awk -v codename="$codename" '$1 == "Debian" && $2 == codename { print $3; exit }')
[ -n "$mirror" ] || mirror=http://deb.debian.org/debian
# As in the base image of kind, but for the clients of network storage.
packages=systemd,dbus,conntrack,iptables,nftables,iproute2,ethtool,util-linux,mount,kmod,hostname
packages+=,libseccomp2,pigz,e2fsprogs,bash,ca-certificates,curl,jq,procps
logged debootstrap debootstrap --variant=minbase --include=$packages "$codename" "$rootfs" "$mirror"

part "kind's own files and the programs"
base=$(go -C ../.. mod download -json sigs.k8s.io/kind | jq -r .Dir)/images/base/files
cp -r --no-preserve=mode,ownership "$base"/{etc,kind,usr} "$rootfs/"
chmod 755 "$rootfs"/usr/local/bin/{entrypoint,clean-install} "$rootfs/kind" "$rootfs"/kind/bin{,/*}
cp -r "$work/licenses" "$rootfs/LICENSES"
cp "${base%/images/base/files}/LICENSE" "$rootfs/LICENSES/kind"

# A container has no devices and no console, so most of the units make no sense.
units=$rootfs/lib/systemd/system
rm -f "$units/sysinit.target.wants/systemd-tmpfiles-setup.service" "$units"/{multi-user,local-fs,basic}.target.wants/* \
  "$units"/sockets.target.wants/*{udev,initctl}* "$rootfs"/etc/systemd/system/*.wants/*
echo ReadKMsg=no >>"$rootfs/etc/systemd/journald.conf"
ln -sf /usr/lib/systemd/systemd "$rootfs/sbin/init"
logged systemctl chroot "$rootfs" systemctl enable kubelet.service containerd.service undo-mount-hacks.service
logged systemctl chroot "$rootfs" systemctl mask systemd-binfmt.service

mkdir -p "$rootfs"/opt/cni/bin "$rootfs"/etc/cni/net.d "$rootfs"/etc/kubernetes/manifests "$rootfs"/kind/manifests
install -m 755 "$bin"/{kubeadm,kubelet,kubectl} "$rootfs/usr/bin/"
install -m 755 "$bin"/{containerd,ctr,containerd-shim-runc-v2,crictl} "$rootfs/usr/local/bin/"
install -m 755 "$bin/runc" "$rootfs/usr/local/sbin/"
install -m 755 "$bin"/{bridge,loopback,ptp,portmap,host-local} "$rootfs/opt/cni/bin/"
printf %s "$version" >"$rootfs/kind/version"

# Every container starts with kind's hook, which hides the host's product files.
chroot "$rootfs" ctr oci spec | jq '.hooks.createContainer += [{path: "/kind/bin/mount-product-files.sh"}] | del(.process.rlimits)' \
  >"$rootfs/etc/containerd/cri-base.json"

# kind's network and storage come as images from a registry. This network is a
# bridge on each node and routes between them; there is no storage, so the manifest
# that kind applies for it is empty of purpose.
install -m 755 network/node-network "$rootfs/kind/bin/"
install -m 644 network/node-network.service "$rootfs/etc/systemd/system/"
install -m 644 network/default-cni.yaml "$rootfs/kind/manifests/"
logged systemctl chroot "$rootfs" systemctl enable node-network.service
cat >"$rootfs/kind/manifests/default-storage.yaml" <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata:
  name: no-default-storage
  namespace: kube-system
YAML
# The copyright files stay: they are the packages' licences.
rm -rf "$rootfs"/var/cache/apt/archives/*.deb "$rootfs"/var/lib/apt/lists/* "$rootfs"/usr/share/{man,locale,info}/*
find "$rootfs/usr/share/doc" -type f ! -name copyright -delete
