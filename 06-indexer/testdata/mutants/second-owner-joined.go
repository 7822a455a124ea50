//workshop:mutant second-owner-joined
//workshop:fault several owners are joined to one value
//workshop:step 6
//workshop:want one value for each entry

package main

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	err := informer.AddTypedIndexers(coreinformers.PodIndexers{OwnerIndex: func(pod *corev1.Pod) ([]string, error) {
		var uids []string
		for _, owner := range pod.OwnerReferences {
			uids = append(uids, string(owner.UID))
		}
		if len(uids) == 0 {
			return nil, nil
		}
		return []string{strings.Join(uids, ",")}, nil
	}})
	return OwnerIndex, err
}
