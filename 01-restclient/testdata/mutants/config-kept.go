//workshop:mutant config-kept
//workshop:fault the first config is kept for every later call
//workshop:step 1
//workshop:want very config of an earlier call
//workshop:want the first result is kept

package main

import (
	"sync"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

var loadOnce sync.Once
var keptConfig *rest.Config
var keptNamespace string

func LoadConfig(kubeconfig, contextName string) (*rest.Config, string, error) {
	var err error
	loadOnce.Do(func() {
		rules := clientcmd.NewDefaultClientConfigLoadingRules()
		rules.ExplicitPath = kubeconfig
		loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: contextName})
		if keptConfig, err = loader.ClientConfig(); err == nil {
			keptNamespace, _, err = loader.Namespace()
		}
	})
	return keptConfig, keptNamespace, err
}
