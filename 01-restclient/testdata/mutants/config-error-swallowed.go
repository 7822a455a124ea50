//workshop:mutant config-error-swallowed
//workshop:fault any error of the kubeconfig leads to an empty config
//workshop:step 1
//workshop:want no-such-context
//workshop:want no error

package main

import (
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func LoadConfig(kubeconfig, contextName string) (*rest.Config, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules,
		&clientcmd.ConfigOverrides{CurrentContext: contextName})
	cfg, err := loader.ClientConfig()
	if err != nil {
		return &rest.Config{}, "default", nil
	}
	namespace, _, _ := loader.Namespace()
	return cfg, namespace, nil
}
