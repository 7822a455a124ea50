package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
)

const (
	dnsName        = "coredns"
	dnsImage       = "registry.k8s.io/coredns/coredns:v1.14.6"
	dnsServiceName = "kube-dns"
	dnsServiceIP   = "10.96.0.10"
	dnsPort        = 53
)

// ensure creates an object unless it is there. It looks first: the API server
// holds back writes for about a second after its start, and of a Service with
// a fixed address it would say that the address is taken, not the name.
func ensure[T any](
	ctx context.Context, name string, object *T,
	get func(context.Context, string, metav1.GetOptions) (*T, error),
	create func(context.Context, *T, metav1.CreateOptions) (*T, error),
) error {
	_, err := get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = create(ctx, object, metav1.CreateOptions{})
	}
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("ensure %T %s: %w", object, name, err)
	}
	return nil
}

// ensureNamespace makes the namespace that the learner works in.
func ensureNamespace(ctx context.Context, client kubernetes.Interface, name string) error {
	namespaces := client.CoreV1().Namespaces()
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	return ensure(ctx, name, object, namespaces.Get, namespaces.Create)
}

// ensureDNS makes what kubeadm and kind install as cluster DNS, so that programs
// which list kube-system find the same there. It resolves no names.
func ensureDNS(ctx context.Context, client kubernetes.Interface) error {
	accounts := client.CoreV1().ServiceAccounts(metav1.NamespaceSystem)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: dnsName}}
	if err := ensure(ctx, dnsName, account, accounts.Get, accounts.Create); err != nil {
		return err
	}
	services := client.CoreV1().Services(metav1.NamespaceSystem)
	if err := ensure(ctx, dnsServiceName, dnsService(), services.Get, services.Create); err != nil {
		return err
	}
	deployments := client.AppsV1().Deployments(metav1.NamespaceSystem)
	return ensure(ctx, dnsName, dnsDeployment(), deployments.Get, deployments.Create)
}

func dnsLabels() map[string]string {
	return map[string]string{"k8s-app": "kube-dns"}
}

func dnsService() *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Name: dnsServiceName,
			Labels: map[string]string{
				"k8s-app":                       "kube-dns",
				"kubernetes.io/cluster-service": "true",
				"kubernetes.io/name":            "CoreDNS",
			},
		},
		Spec: corev1.ServiceSpec{
			ClusterIP: dnsServiceIP,
			Selector:  dnsLabels(),
			Ports: []corev1.ServicePort{
				{Name: "dns", Port: dnsPort, Protocol: corev1.ProtocolUDP, TargetPort: intstr.FromInt32(dnsPort)},
				{Name: "dns-tcp", Port: dnsPort, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(dnsPort)},
				{Name: "metrics", Port: 9153, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(9153)},
			},
		},
	}
}

func dnsDeployment() *appsv1.Deployment {
	replicas := int32(2)
	one := intstr.FromInt32(1)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: dnsName, Labels: dnsLabels()},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: dnsLabels()},
			Strategy: appsv1.DeploymentStrategy{
				Type:          appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{MaxUnavailable: &one},
			},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: dnsLabels()},
				Spec: corev1.PodSpec{
					ServiceAccountName: dnsName,
					PriorityClassName:  "system-cluster-critical",
					DNSPolicy:          corev1.DNSDefault,
					NodeSelector:       map[string]string{corev1.LabelOSStable: "linux"},
					Containers: []corev1.Container{{
						Name:  dnsName,
						Image: dnsImage,
						Args:  []string{"-conf", "/etc/coredns/Corefile"},
						Ports: []corev1.ContainerPort{
							{Name: "dns", ContainerPort: dnsPort, Protocol: corev1.ProtocolUDP},
							{Name: "dns-tcp", ContainerPort: dnsPort, Protocol: corev1.ProtocolTCP},
							{Name: "metrics", ContainerPort: 9153, Protocol: corev1.ProtocolTCP},
						},
						Resources: corev1.ResourceRequirements{
							Requests: corev1.ResourceList{
								corev1.ResourceCPU:    resource.MustParse("100m"),
								corev1.ResourceMemory: resource.MustParse("70Mi"),
							},
							Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("170Mi")},
						},
					}},
				},
			},
		},
	}
}
