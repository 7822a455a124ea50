//workshop:accept clientset-struct-value
//workshop:why a value copy, settings in another order, timeouts added
//workshop:step NewClientset

package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	mine := *cfg
	mine.UserAgent = "client-go-workshop/clientset"
	mine.Burst, mine.QPS = 100, 50
	mine.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	mine.ContentType = "application/vnd.kubernetes.protobuf"
	return kubernetes.NewForConfig(&mine)
}
