package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/egressselector"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/pkg/controlplane/reconcilers"
	authzmodes "k8s.io/kubernetes/pkg/kubeapiserver/authorizer/modes"
	rbacrest "k8s.io/kubernetes/pkg/registry/rbac/rest"
	schedulingrest "k8s.io/kubernetes/pkg/registry/scheduling/rest"
)

const (
	// serviceCIDR and the names below are kind's, so that what a learner sees
	// here and there is the same.
	serviceCIDR          = "10.96.0.0/16"
	serviceAccountIssuer = "https://kubernetes.default.svc.cluster.local"
	// apiServerServiceIP is the first address of serviceCIDR, which the
	// Service "kubernetes" receives.
	apiServerServiceIP = "10.96.0.1"
	// lastRoleBinding is among the last of the default RBAC objects.
	lastRoleBinding = "system:controller:bootstrap-signer"
	// lastPriorityClass is the last of the default priority classes.
	lastPriorityClass = "system-cluster-critical"
	// watchShutdownGrace lets watches end in order when the server stops.
	watchShutdownGrace = time.Second
)

// servingIPs are the addresses that the serving certificate must name.
func servingIPs() []net.IP {
	return []net.IP{net.ParseIP(loopback), net.ParseIP(apiServerServiceIP)}
}

// servingNames are the host names that the serving certificate must name.
func servingNames() []string {
	return []string{
		"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
		"kubernetes.default.svc.cluster.local",
	}
}

// apiServer is a kube-apiserver that is ready to run.
type apiServer struct {
	run func(context.Context) error
}

// newAPIServer builds the complete kube-apiserver: built-in resources, custom
// resources and aggregation. started is called once it answers requests, with
// a configuration for a privileged client.
func newAPIServer(
	ctx context.Context, dir string, listener net.Listener, p *pki, store *etcd, started func(*rest.Config),
) (*apiServer, error) {
	opts, err := apiServerOptions(dir, listener, p, store)
	if err != nil {
		return nil, err
	}
	if err := opts.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, fmt.Errorf("settle feature gates: %w", err)
	}
	// Deprecation warnings are for users; the server's own clients would only
	// fill the log with them.
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	completed, err := opts.Complete(ctx)
	if err != nil {
		return nil, fmt.Errorf("complete API server options: %w", err)
	}
	if errs := completed.Validate(); len(errs) != 0 {
		return nil, fmt.Errorf("validate API server options: %w", utilerrors.NewAggregate(errs))
	}
	config, err := app.NewConfig(completed)
	if err != nil {
		return nil, fmt.Errorf("configure API server: %w", err)
	}
	config.KubeAPIs.ControlPlane.Generic.DisabledPostStartHooks.Insert(rbacrest.PostStartHookName, schedulingrest.PostStartHookName)
	ready, err := config.Complete()
	if err != nil {
		return nil, fmt.Errorf("complete API server configuration: %w", err)
	}
	chain, err := app.CreateServerChain(ready)
	if err != nil {
		return nil, fmt.Errorf("assemble API server: %w", err)
	}
	//nolint:contextcheck // A hook is called with a context of its own.
	if err := addHooks(chain.GenericAPIServer, started); err != nil {
		return nil, err
	}
	prepared, err := chain.PrepareRun()
	if err != nil {
		return nil, fmt.Errorf("prepare API server: %w", err)
	}
	return &apiServer{run: prepared.Run}, nil
}

// addHooks adds started and the two hooks that newAPIServer has taken out.
func addHooks(server *genericapiserver.GenericAPIServer, started func(*rest.Config)) error {
	_, roles, err := rbacrest.RESTStorageProvider{}.PostStartHook()
	if err != nil {
		return fmt.Errorf("prepare RBAC roles: %w", err)
	}
	_, priorities, err := schedulingrest.RESTStorageProvider{}.PostStartHook()
	if err != nil {
		return fmt.Errorf("prepare priority classes: %w", err)
	}
	hooks := map[string]genericapiserver.PostStartHookFunc{
		"workshop-start": func(hook genericapiserver.PostStartHookContext) error {
			started(hook.LoopbackClientConfig)
			return nil
		},
		"workshop-rbac-roles": unlessPresent(roles, func(ctx context.Context, client kubernetes.Interface) error {
			_, err := client.RbacV1().RoleBindings(metav1.NamespacePublic).Get(ctx, lastRoleBinding, metav1.GetOptions{})
			return err
		}),
		"workshop-priority-classes": unlessPresent(priorities, func(ctx context.Context, client kubernetes.Interface) error {
			_, err := client.SchedulingV1().PriorityClasses().Get(ctx, lastPriorityClass, metav1.GetOptions{})
			return err
		}),
	}
	for name, hook := range hooks {
		if err := server.AddPostStartHook(name, hook); err != nil {
			return fmt.Errorf("add hook %s: %w", name, err)
		}
	}
	return nil
}

// unlessPresent runs one of kube-apiserver's hooks that make default objects.
// They begin with a wait of a second and keep the server unready until they are
// done. When the last object is there from an earlier start, such a hook only
// looks after them, and nobody needs to wait.
func unlessPresent(
	ensure genericapiserver.PostStartHookFunc, last func(context.Context, kubernetes.Interface) error,
) genericapiserver.PostStartHookFunc {
	return func(hook genericapiserver.PostStartHookContext) error {
		client, err := kubernetes.NewForConfig(clientConfig(hook.LoopbackClientConfig, "default-objects", "kube-apiserver"))
		if err != nil {
			return fmt.Errorf("build client of default objects: %w", err)
		}
		if last(hook, client) != nil {
			return ensure(hook)
		}
		go func() {
			if err := ensure(hook); err != nil && hook.Err() == nil {
				klog.ErrorS(err, "Looking after the default objects failed")
			}
		}()
		return nil
	}
}

// apiServerOptions fills in what differs from kube-apiserver's defaults.
func apiServerOptions(dir string, listener net.Listener, p *pki, store *etcd) (*options.ServerRunOptions, error) {
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return nil, errors.New("the API server needs a TCP listener")
	}
	auditDir := filepath.Join(dir, "audit")
	if err := privateDir(auditDir); err != nil {
		return nil, err
	}
	policy := filepath.Join(auditDir, "policy.yaml")
	if err := writeAuditPolicy(policy); err != nil {
		return nil, err
	}

	o := options.NewServerRunOptions()
	o.SecureServing.Listener = listener
	o.SecureServing.BindAddress = address.IP
	o.SecureServing.BindPort = address.Port
	o.SecureServing.ServerCert.CertKey.CertFile = p.serving.certFile
	o.SecureServing.ServerCert.CertKey.KeyFile = p.serving.keyFile

	// The address is never announced to anybody: see the reconciler below.
	o.GenericServerRunOptions.AdvertiseAddress = address.IP
	o.GenericServerRunOptions.ShutdownWatchTerminationGracePeriod = watchShutdownGrace
	// Nothing could connect to an endpoint of the Service "kubernetes", and
	// a loopback address would not be a valid one.
	o.EndpointReconcilerType = string(reconcilers.NoneEndpointReconcilerType)
	o.ServiceClusterIPRanges = serviceCIDR
	o.AllowPrivileged = true

	useStore(o, store)
	useCredentials(o, p)
	o.Authorization.Modes = []string{authzmodes.ModeRBAC}
	o.Admission.GenericAdmission.DisablePlugins = []string{
		// These two leave marks that only controllers which do not run here
		// would take away again: a finalizer on every volume claim and
		// a taint on every new node.
		"StorageObjectInUseProtection",
		"TaintNodesByCondition",
	}

	o.Audit.PolicyFile = policy
	o.Audit.LogOptions.Path = filepath.Join(auditDir, "audit.log")
	o.Audit.LogOptions.MaxSize = auditMaxSizeMB
	o.Audit.LogOptions.MaxBackups = auditMaxBackups
	o.Features.EnableProfiling = false
	return o, nil
}

// useStore connects the API server to etcd through memory. The server list is
// there only because there must be one.
func useStore(o *options.ServerRunOptions, store *etcd) {
	transport := &o.Etcd.StorageConfig.Transport
	transport.ServerList = []string{"http://etcd.invalid"}
	transport.EgressLookup = func(egressselector.NetworkContext) (utilnet.DialFunc, error) {
		return store.dial, nil
	}
}

// useCredentials lets in who has a client certificate or a service account
// token of this cluster, and nobody anonymous.
func useCredentials(o *options.ServerRunOptions, p *pki) {
	authn := o.Authentication
	authn.Anonymous.Allow = false
	authn.ClientCert.ClientCA = p.ca.certFile
	authn.RequestHeader.ClientCAFile = p.proxyCA.certFile
	authn.RequestHeader.AllowedNames = []string{frontProxyName}
	authn.RequestHeader.UsernameHeaders = []string{"X-Remote-User"}
	authn.RequestHeader.GroupHeaders = []string{"X-Remote-Group"}
	authn.RequestHeader.ExtraHeaderPrefixes = []string{"X-Remote-Extra-"}
	authn.ServiceAccounts.Issuers = []string{serviceAccountIssuer}
	authn.ServiceAccounts.KeyFiles = []string{p.serviceAccountKeyFile}
	o.ServiceAccountSigningKeyFile = p.serviceAccountKeyFile
	o.ProxyClientCertFile = p.proxy.certFile
	o.ProxyClientKeyFile = p.proxy.keyFile
}
