package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	genericquota "k8s.io/apiserver/pkg/quota/v1/generic"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/component-base/version"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/endpointslice"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/resourcequota"
	serviceaccountcontroller "k8s.io/kubernetes/pkg/controller/serviceaccount"
	quota "k8s.io/kubernetes/pkg/quota/v1/install"
	"k8s.io/kubernetes/pkg/serviceaccount"
)

const (
	// workers is the number of workers of each controller, the
	// kube-controller-manager's default.
	workers = 5
	// resync is how often informers replay their cache.
	resync = 12 * time.Hour
	// discoveryPeriod is how soon the garbage collector learns of a new custom
	// resource. It is shorter than on a large cluster, because a learner
	// defines one and then waits for it.
	discoveryPeriod = 10 * time.Second
	// maxEndpointsPerSlice is the kube-controller-manager's default.
	maxEndpointsPerSlice = 100
)

// runner is a controller's main loop; it returns when ctx ends.
type runner func(ctx context.Context)

// controllerSet is what the controllers have in common.
type controllerSet struct {
	config    *rest.Config
	informers informers.SharedInformerFactory
	// all also makes metadata informers, for resources that have no Go type.
	all     informerfactory.InformerFactory
	started chan struct{}
	caFile  string
	saKey   string
	runners []runner
}

// newControllerSet builds the controllers that a learner meets; nothing runs
// until start is called.
func newControllerSet(ctx context.Context, config *rest.Config, p *pki) (*controllerSet, error) {
	config = clientConfig(config, "shared-informers", "kube-controller-manager")
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("build informer client: %w", err)
	}
	metadataClient, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("build metadata informer client: %w", err)
	}
	typed := informers.NewSharedInformerFactoryWithOptions(client, resync, informers.WithTransform(dropManagedFields))
	metadataOnly := metadatainformer.NewSharedInformerFactoryWithOptions(
		metadataClient, resync, metadatainformer.WithTransform(dropManagedFields))
	s := &controllerSet{
		config:    config,
		informers: typed,
		all:       informerfactory.NewInformerFactory(typed, metadataOnly),
		started:   make(chan struct{}),
		caFile:    p.ca.certFile,
		saKey:     p.serviceAccountKeyFile,
	}
	for _, add := range []func(context.Context) error{
		s.addServiceAccounts,
		s.addNamespaces,
		s.addRootCA,
		s.addWorkloads,
		s.addEndpointSlices,
		s.addClusterRoles,
		s.addGarbageCollector,
		s.addResourceQuota,
	} {
		if err := add(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// start runs the informers and the controllers and returns a function that
// waits for their end.
func (s *controllerSet) start(ctx context.Context) (wait func()) {
	var running sync.WaitGroup
	for _, run := range s.runners {
		running.Go(func() { run(ctx) })
	}
	s.all.Start(ctx.Done())
	close(s.started)
	return running.Wait
}

// client returns a client whose requests carry the controller's name.
func (s *controllerSet) client(controller string) (*kubernetes.Clientset, error) {
	client, err := kubernetes.NewForConfig(s.clientConfig(controller))
	if err != nil {
		return nil, fmt.Errorf("build client of %s: %w", controller, err)
	}
	return client, nil
}

func (s *controllerSet) clientConfig(controller string) *rest.Config {
	return clientConfig(s.config, controller, "kube-controller-manager")
}

// clientConfig copies config for one client inside this process. Its requests
// are not throttled, and its user agent begins with the name of the program that
// would send them in a usual cluster, because the API server takes the field
// manager from there.
func clientConfig(config *rest.Config, component, program string) *rest.Config {
	own := rest.CopyConfig(config)
	own.QPS = -1
	own.UserAgent = fmt.Sprintf("%s/%s workshop/%s", program, version.Get().GitVersion, component)
	return own
}

// addServiceAccounts makes the ServiceAccount "default" of each namespace and
// fills token Secrets.
func (s *controllerSet) addServiceAccounts(ctx context.Context) error {
	client, err := s.client("service-account-controller")
	if err != nil {
		return err
	}
	accounts, err := serviceaccountcontroller.NewServiceAccountsController(
		klog.FromContext(ctx),
		s.informers.Core().V1().ServiceAccounts(),
		s.informers.Core().V1().Namespaces(),
		client,
		serviceaccountcontroller.DefaultServiceAccountsControllerOptions(),
	)
	if err != nil {
		return fmt.Errorf("build service account controller: %w", err)
	}
	s.add(func(ctx context.Context) { accounts.Run(ctx, 1) })
	return s.addTokens(ctx)
}

func (s *controllerSet) addTokens(ctx context.Context) error {
	key, err := keyutil.PrivateKeyFromFile(s.saKey)
	if err != nil {
		return fmt.Errorf("read service account key: %w", err)
	}
	generator, err := serviceaccount.JWTTokenGenerator(serviceaccount.LegacyIssuer, key)
	if err != nil {
		return fmt.Errorf("build token generator: %w", err)
	}
	rootCA, err := os.ReadFile(s.caFile)
	if err != nil {
		return fmt.Errorf("read CA certificate: %w", err)
	}
	client, err := s.client("tokens-controller")
	if err != nil {
		return err
	}
	tokens, err := serviceaccountcontroller.NewTokensController(
		klog.FromContext(ctx),
		s.informers.Core().V1().ServiceAccounts(),
		s.informers.Core().V1().Secrets(),
		client,
		serviceaccountcontroller.TokensControllerOptions{TokenGenerator: generator, RootCA: rootCA},
	)
	if err != nil {
		return fmt.Errorf("build token controller: %w", err)
	}
	s.add(func(ctx context.Context) { tokens.Run(ctx, workers) })
	return nil
}

// addNamespaces empties and removes deleted namespaces.
func (s *controllerSet) addNamespaces(ctx context.Context) error {
	config := s.clientConfig("namespace-controller")
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("build client of namespace-controller: %w", err)
	}
	metadataClient, err := metadata.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("build metadata client of namespace-controller: %w", err)
	}
	namespaces := namespace.NewNamespaceController(
		ctx,
		client,
		metadataClient,
		client.Discovery().ServerPreferredNamespacedResources,
		s.informers.Core().V1().Namespaces(),
		5*time.Minute,
		corev1.FinalizerKubernetes,
	)
	s.add(func(ctx context.Context) { namespaces.Run(ctx, workers) })
	return nil
}

// addRootCA publishes the ConfigMap kube-root-ca.crt in each namespace.
func (s *controllerSet) addRootCA(context.Context) error {
	rootCA, err := os.ReadFile(s.caFile)
	if err != nil {
		return fmt.Errorf("read CA certificate: %w", err)
	}
	client, err := s.client("root-ca-cert-publisher")
	if err != nil {
		return err
	}
	publisher, err := rootcacertpublisher.NewPublisher(
		s.informers.Core().V1().ConfigMaps(),
		s.informers.Core().V1().Namespaces(),
		client,
		rootCA,
	)
	if err != nil {
		return fmt.Errorf("build root CA publisher: %w", err)
	}
	s.add(func(ctx context.Context) { publisher.Run(ctx, 1) })
	return nil
}

// addWorkloads runs Deployments, ReplicaSets and Jobs.
func (s *controllerSet) addWorkloads(ctx context.Context) error {
	apps := s.informers.Apps().V1()
	pods := s.informers.Core().V1().Pods()

	client, err := s.client("deployment-controller")
	if err != nil {
		return err
	}
	deployments, err := deployment.NewDeploymentController(ctx, apps.Deployments(), apps.ReplicaSets(), pods, client)
	if err != nil {
		return fmt.Errorf("build deployment controller: %w", err)
	}
	s.add(func(ctx context.Context) { deployments.Run(ctx, workers) })

	client, err = s.client("replicaset-controller")
	if err != nil {
		return err
	}
	replicaSets := replicaset.NewReplicaSetController(ctx, apps.ReplicaSets(), pods, client, replicaset.BurstReplicas)
	s.add(func(ctx context.Context) { replicaSets.Run(ctx, workers) })

	client, err = s.client("job-controller")
	if err != nil {
		return err
	}
	// The last two informers belong to a feature that is off by default.
	jobs, err := job.NewController(ctx, client, pods, s.informers.Batch().V1().Jobs(), nil, nil)
	if err != nil {
		return fmt.Errorf("build job controller: %w", err)
	}
	s.add(func(ctx context.Context) { jobs.Run(ctx, workers) })
	return nil
}

// addEndpointSlices lists the pods behind each Service.
func (s *controllerSet) addEndpointSlices(ctx context.Context) error {
	client, err := s.client("endpointslice-controller")
	if err != nil {
		return err
	}
	slices := endpointslice.NewController(
		ctx,
		s.informers.Core().V1().Pods(),
		s.informers.Core().V1().Services(),
		s.informers.Core().V1().Nodes(),
		s.informers.Discovery().V1().EndpointSlices(),
		maxEndpointsPerSlice,
		client,
		0,
	)
	s.add(func(ctx context.Context) { slices.Run(ctx, workers) })
	return nil
}

// addClusterRoles gives the roles admin, edit and view their rules.
func (s *controllerSet) addClusterRoles(context.Context) error {
	client, err := s.client("clusterrole-aggregation-controller")
	if err != nil {
		return err
	}
	roles := clusterroleaggregation.NewClusterRoleAggregation(s.informers.Rbac().V1().ClusterRoles(), client.RbacV1())
	s.add(func(ctx context.Context) { roles.Run(ctx, workers) })
	return nil
}

// addGarbageCollector deletes objects whose owners are gone.
func (s *controllerSet) addGarbageCollector(ctx context.Context) error {
	config := s.clientConfig("generic-garbage-collector")
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("build client of generic-garbage-collector: %w", err)
	}
	metadataClient, err := metadata.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("build metadata client of generic-garbage-collector: %w", err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	collector, err := garbagecollector.NewGarbageCollector(
		ctx,
		client,
		metadataClient,
		mapper,
		garbagecollector.DefaultIgnoredResources(),
		s.all,
		s.started,
	)
	if err != nil {
		return fmt.Errorf("build garbage collector: %w", err)
	}
	s.add(func(ctx context.Context) { collector.Run(ctx, 4*workers, discoveryPeriod) })
	s.add(func(ctx context.Context) { collector.Sync(ctx, client.Discovery(), discoveryPeriod) })
	return nil
}

// addResourceQuota counts what ResourceQuotas limit; the admission plugin of
// that name refuses requests by these counts.
func (s *controllerSet) addResourceQuota(ctx context.Context) error {
	client, err := s.client("resourcequota-controller")
	if err != nil {
		return err
	}
	discover := client.Discovery().ServerPreferredNamespacedResources
	evaluators, err := quota.NewQuotaConfigurationForControllers(genericquota.ListerFuncForResourceFunc(s.informers.ForResource), s.informers)
	if err != nil {
		return fmt.Errorf("configure quota evaluators: %w", err)
	}
	quotas, err := resourcequota.NewController(ctx, &resourcequota.ControllerOptions{
		QuotaClient:               client.CoreV1(),
		ResourceQuotaInformer:     s.informers.Core().V1().ResourceQuotas(),
		ResyncPeriod:              func() time.Duration { return 5 * time.Minute },
		InformerFactory:           s.all,
		ReplenishmentResyncPeriod: func() time.Duration { return resync },
		DiscoveryFunc:             discover,
		IgnoredResourcesFunc:      evaluators.IgnoredResources,
		InformersStarted:          s.started,
		Registry:                  genericquota.NewRegistry(evaluators.Evaluators()),
		UpdateFilter:              quota.DefaultUpdateFilter(),
	})
	if err != nil {
		return fmt.Errorf("build resource quota controller: %w", err)
	}
	s.add(func(ctx context.Context) { quotas.Run(ctx, workers) })
	s.add(func(ctx context.Context) { quotas.Sync(ctx, discover, discoveryPeriod) })
	return nil
}

func (s *controllerSet) add(run runner) {
	s.runners = append(s.runners, run)
}

// dropManagedFields takes from a cached object what nothing here reads and what
// is often its largest part.
func dropManagedFields(obj any) (any, error) {
	if accessor, err := meta.Accessor(obj); err == nil {
		accessor.SetManagedFields(nil)
	}
	return obj, nil
}
