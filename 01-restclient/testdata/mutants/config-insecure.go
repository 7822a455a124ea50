//workshop:mutant config-insecure
//workshop:fault switches the verification of the server's certificate off
//workshop:step 1
//workshop:want certificate authority

package main

import (
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func LoadConfig(kubeconfig, contextName string) (*rest.Config, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: contextName})
	cfg, err := loader.ClientConfig()
	if err != nil {
		return nil, "", err
	}
	cfg.TLSClientConfig = rest.TLSClientConfig{Insecure: true}
	ns, _, err := loader.Namespace()
	return cfg, ns, err
}
