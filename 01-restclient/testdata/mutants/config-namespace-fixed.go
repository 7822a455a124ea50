//workshop:mutant config-namespace-fixed
//workshop:fault the context's namespace is not asked for
//workshop:step 1
//workshop:want a context carries a namespace

package main

import (
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func LoadConfig(kubeconfig, contextName string) (*rest.Config, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules,
		&clientcmd.ConfigOverrides{CurrentContext: contextName}).ClientConfig()
	return cfg, "default", err
}
