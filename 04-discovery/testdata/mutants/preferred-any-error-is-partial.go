//workshop:mutant preferred-any-error-is-partial
//workshop:fault a discovery that failed altogether looks like an empty server
//workshop:step 4
//workshop:want nothing is known

package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func PreferredResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	lists, err := client.ServerPreferredResourcesWithContext(ctx)
	failed, _ := discovery.GroupDiscoveryFailedErrorGroups(err)
	if failed == nil {
		failed = map[schema.GroupVersion]error{}
	}
	return lists, failed, nil
}
