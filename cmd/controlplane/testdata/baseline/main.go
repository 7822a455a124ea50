// Command baseline is what measure-build.sh compares with: etcd, kube-apiserver
// and the whole kube-controller-manager in one binary.
package main

import (
	"fmt"
	"os"

	"go.etcd.io/etcd/server/v3/embed"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	fmt.Fprintln(os.Stderr, embed.NewConfig().Name,
		apiserver.NewAPIServerCommand().Name(), controllermanager.NewControllerManagerCommand().Name())
}
