//workshop:accept config-by-hand
//workshop:why the rules load a raw config, and a direct client config chooses the context
//workshop:step LoadConfig

package main

import (
	"fmt"

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
	if contextName == "" {
		contextName = raw.CurrentContext
	}
	if _, ok := raw.Contexts[contextName]; !ok {
		return nil, "", fmt.Errorf("no context %q", contextName)
	}
	loader := clientcmd.NewNonInteractiveClientConfig(*raw, contextName, nil, rules)
	cfg, err := loader.ClientConfig()
	if err != nil {
		return nil, "", err
	}
	namespace, _, err := loader.Namespace()
	return cfg, namespace, err
}
