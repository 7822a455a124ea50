package main

import (
	"fmt"
	"os"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const (
	// kubeconfigName names the context, the cluster and the user.
	kubeconfigName = "client-go-workshop"
	// workshopNamespace is where the learner's programs work by default.
	workshopNamespace = "workshop"
)

// writeKubeconfig writes an admin kubeconfig that needs no other file.
func writeKubeconfig(path, url string, p *pki) error {
	caData, err := os.ReadFile(p.ca.certFile)
	if err != nil {
		return fmt.Errorf("read CA certificate: %w", err)
	}
	certData, err := os.ReadFile(p.admin.certFile)
	if err != nil {
		return fmt.Errorf("read admin certificate: %w", err)
	}
	keyData, err := os.ReadFile(p.admin.keyFile)
	if err != nil {
		return fmt.Errorf("read admin key: %w", err)
	}
	config := clientcmdapi.NewConfig()
	config.Clusters[kubeconfigName] = &clientcmdapi.Cluster{Server: url, CertificateAuthorityData: caData}
	config.AuthInfos[kubeconfigName] = &clientcmdapi.AuthInfo{ClientCertificateData: certData, ClientKeyData: keyData}
	config.Contexts[kubeconfigName] = &clientcmdapi.Context{
		Cluster:   kubeconfigName,
		AuthInfo:  kubeconfigName,
		Namespace: workshopNamespace,
	}
	config.CurrentContext = kubeconfigName
	data, err := clientcmd.Write(*config)
	if err != nil {
		return fmt.Errorf("encode kubeconfig: %w", err)
	}
	return writeFileAtomic(path, data)
}
