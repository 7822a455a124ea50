//workshop:accept config-namespace-from-raw
//workshop:why the namespace is read from the raw config
//workshop:step LoadConfig

package main

import (
	"cmp"

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
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, "", err
	}
	return cfg, cmp.Or(raw.Contexts[cmp.Or(contextName, raw.CurrentContext)].Namespace, "default"), nil
}
