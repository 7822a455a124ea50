//workshop:mutant config-context-ignored
//workshop:fault BuildConfigFromFlags always takes the current context
//workshop:step 1
//workshop:want always takes the current context

package main

import (
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func LoadConfig(kubeconfig, contextName string) (*rest.Config, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil)
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, "", err
	}
	if kubeconfig == "" {
		cfg, err := loader.ClientConfig()
		return cfg, namespace, err
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	return cfg, namespace, err
}
