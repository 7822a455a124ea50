//workshop:mutant config-unknown-context-falls-back
//workshop:fault an unknown context falls back to the current one
//workshop:step 1
//workshop:want no-such-context
//workshop:want must not fall back

package main

import (
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func LoadConfig(kubeconfig, contextName string) (*rest.Config, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	raw, err := rules.Load()
	if err != nil {
		return nil, "", err
	}
	if _, ok := raw.Contexts[contextName]; !ok {
		contextName = raw.CurrentContext
	}
	loader := clientcmd.NewNonInteractiveClientConfig(*raw, contextName, nil, rules)
	cfg, err := loader.ClientConfig()
	if err != nil {
		return nil, "", err
	}
	namespace, _, err := loader.Namespace()
	return cfg, namespace, err
}
