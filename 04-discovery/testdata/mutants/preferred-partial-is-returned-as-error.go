//workshop:mutant preferred-partial-is-returned-as-error
//workshop:fault the results come together with an error, so a caller that looks at the error first loses them
//workshop:step 4
//workshop:want ErrGroupDiscoveryFailed comes together with the results

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
	return lists, failed, err
}
