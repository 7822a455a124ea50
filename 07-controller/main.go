// Chapter 07: a controller that gives each annotated Service an Ingress.
//
// Run it from the repository root: go run ./07-controller
//
// The steps are in ingress.go (1, 2), controller.go (3, 4 and 9 to 11), sync.go
// (5 to 8), election.go (12, 13) and deploy.go (14).
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/todo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends ctx and the program stops; a second one ends it at once.
	context.AfterFunc(ctx, stop)

	err := todo.Run(ctx, func(ctx context.Context) error { return run(ctx, os.Args[1:]) })
	klog.Flush()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// settings are the program's flags.
type settings struct {
	kubeconfig  string
	inCluster   bool
	namespace   string
	name        string
	workers     int
	qps         float64
	burst       int
	listen      string
	checkAccess bool
	options     Options
	election    Election
}

func parse(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("07-controller", flag.ContinueOnError)
	flags.StringVar(&s.kubeconfig, "kubeconfig", "", "path of a kubeconfig; empty means the workshop's cluster, or what KUBECONFIG names")
	flags.BoolVar(&s.inCluster, "in-cluster", false, "use the ServiceAccount of the pod that this runs in")
	flags.StringVar(&s.namespace, "namespace", "", "the namespace to work in; empty means all")
	flags.StringVar(&s.name, "controller-name", "", "work on the Services with the label "+controllerLabel+"=NAME; empty means those without")
	flags.StringVar(&s.options.Domain, "domain", "example.com", "what the default host NAME.NAMESPACE.DOMAIN ends in")
	flags.StringVar(&s.options.IngressClass, "ingress-class", "", "class of the Ingresses; empty leaves it to the cluster's default")
	flags.IntVar(&s.workers, "workers", 5, "how many Services to work on side by side")
	flags.IntVar(&s.options.MaxRetry, "max-retry", 15, "how often a Service that fails is tried again")
	flags.Float64Var(&s.qps, "qps", -1, "requests a second; -1 leaves the limit to the API server: each worker waits for one answer at a time")
	flags.IntVar(&s.burst, "burst", 100, "requests at once, where --qps sets a limit")
	flags.StringVar(&s.listen, "listen", "", "address for /healthz, /readyz and /metrics, such as :8080; empty means none")
	flags.BoolVar(&s.checkAccess, "check-access", true, "ask at the start for each permission that is needed, and stop when one is missing")
	flags.BoolVar(&s.election.Enabled, "leader-elect", false, "work only while holding a Lease, so that several replicas can run")
	flags.StringVar(&s.election.Namespace, "leader-elect-namespace", "", "namespace of the Lease; empty means the pod's own, or default")
	flags.StringVar(&s.election.Name, "leader-elect-name", fieldManager, "name of the Lease")
	flags.DurationVar(&s.election.LeaseDuration, "leader-elect-lease-duration", 15*time.Second, "how long the others wait for a silent leader")
	flags.DurationVar(&s.election.RenewDeadline, "leader-elect-renew-deadline", 10*time.Second, "how long the leader tries to renew the Lease")
	flags.DurationVar(&s.election.RetryPeriod, "leader-elect-retry-period", 2*time.Second, "how often the Lease is tried")
	flags.StringVar(&s.election.Identity, "identity", "", "name of this replica in the Lease; empty means the host's name and a random part")
	// klog has many flags more, for log files of its own.
	var logging flag.FlagSet
	klog.InitFlags(&logging)
	flags.Var(logging.Lookup("v").Value, "v", "how much to log: 2 says each write")

	if err := flags.Parse(args); err != nil {
		return settings{}, err
	}
	if flags.NArg() > 0 {
		return settings{}, fmt.Errorf("unknown argument %q: every setting is a flag, see -h", flags.Arg(0))
	}
	if s.inCluster && s.kubeconfig != "" {
		return settings{}, errors.New("--in-cluster and --kubeconfig exclude each other")
	}
	if problems := validation.IsValidLabelValue(s.name); len(problems) > 0 {
		return settings{}, fmt.Errorf("--controller-name: %q is no label value: %s", s.name, strings.Join(problems, "; "))
	}
	if s.election.Identity == "" {
		host, err := os.Hostname()
		if err != nil {
			return settings{}, fmt.Errorf("find the host's name for --identity: %w", err)
		}
		s.election.Identity = host + "_" + string(uuid.NewUUID())
	}
	s.election.Namespace = cmp.Or(s.election.Namespace, ownNamespace(s.inCluster))
	return s, nil
}

// controllerLabel names the controller that works on a Service, as the label
// service.kubernetes.io/service-proxy-name does for a Service's proxy. Each
// controller leaves the Services of the others alone.
const controllerLabel = "ingress/controller"

// selector selects the Services that this controller works on.
func (s settings) selector() string {
	if s.name == "" {
		return "!" + controllerLabel
	}
	return controllerLabel + "=" + s.name
}

// ownNamespace is where a pod runs, and default elsewhere.
func ownNamespace(inCluster bool) string {
	if inCluster {
		name, err := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
		if err == nil && len(name) > 0 {
			return strings.TrimSpace(string(name))
		}
	}
	return metav1.NamespaceDefault
}

// loadConfig reads the one source that the flags name. What is wrong with it is
// an error: another cluster than the one that was meant is no way out.
func loadConfig(ctx context.Context, set settings) (*rest.Config, error) {
	if set.inCluster {
		cfg, err := rest.InClusterConfig()
		if err != nil {
			return nil, fmt.Errorf("load the ServiceAccount of this pod: %w", err)
		}
		return cfg, nil
	}
	// Outside a pod only a cluster that `workshop up` has marked gets past here.
	if set.kubeconfig == "" {
		return cluster.Config(ctx)
	}
	rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: set.kubeconfig}
	raw, err := rules.Load()
	if err != nil {
		return nil, fmt.Errorf("load kubeconfig %s: %w", set.kubeconfig, err)
	}
	cfg, err := clientcmd.NewNonInteractiveClientConfig(*raw, "", nil, rules).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("load kubeconfig %s: %w", set.kubeconfig, err)
	}
	return cluster.Guard(ctx, cfg)
}

// run builds the controller and runs it until ctx ends or something fails.
func run(ctx context.Context, args []string) error {
	set, err := parse(args)
	if err != nil {
		return err
	}
	ctx = klog.NewContext(ctx, klog.Background())
	cfg, err := loadConfig(ctx, set)
	if err != nil {
		return err
	}
	client, leases, err := newClients(cfg, set)
	if err != nil {
		return err
	}
	// All that is started here ends before run returns, whatever ends first.
	ctx, stop := context.WithCancel(ctx)
	defer stop()

	events := record.NewBroadcaster(record.WithContext(ctx))
	defer events.Shutdown()
	events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	recorder := events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: fieldManager})

	// The API server selects the Services. Every Ingress is watched: anybody's may
	// stand in the way of one of them.
	inNamespace, stripped := informers.WithNamespace(set.namespace), informers.WithTransform(strip)
	services := informers.NewSharedInformerFactoryWithOptions(client, 0, inNamespace, stripped,
		informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = set.selector() }))
	ingresses := informers.NewSharedInformerFactoryWithOptions(client, 0, inNamespace, stripped)
	metrics := newQueueMetrics()
	controller, err := NewController(client, services.Core().V1().Services(), ingresses.Networking().V1().Ingresses(),
		newQueue(metrics), recorder, set.options)
	if err != nil {
		return err
	}
	served, err := serve(ctx, set.listen, metrics, controller.ready)
	if err != nil {
		return err
	}
	services.StartWithContext(ctx)
	ingresses.StartWithContext(ctx)
	defer func() { stop(); services.Shutdown(); ingresses.Shutdown(); <-served }()

	access := make(chan error, 1)
	go func() { access <- set.access(ctx, stop, leases) }()
	work := func(ctx context.Context) error { return controller.Run(ctx, set.workers) }
	if set.election.Enabled {
		err = Lead(ctx, leases, set.election, work)
	} else {
		err = work(ctx)
	}
	stop()
	return cmp.Or(err, <-access)
}

// access stops the controller when the server does not allow what it needs.
func (s settings) access(ctx context.Context, stop func(), client kubernetes.Interface) error {
	if !s.checkAccess {
		return nil
	}
	err := checkAccess(ctx, client, s.namespace, s.election)
	if err != nil {
		stop()
	}
	return err
}

// newClients makes one client for the work and one for what must not wait
// behind it: a Lease that is renewed late is lost.
func newClients(cfg *rest.Config, set settings) (work, leases kubernetes.Interface, err error) {
	cfg = rest.AddUserAgent(cfg, fieldManager)
	leaseConfig := rest.CopyConfig(cfg)
	leaseConfig.Timeout = set.election.requestTimeout()
	leaseConfig.QPS, leaseConfig.Burst = 20, 40
	if leases, err = kubernetes.NewForConfig(leaseConfig); err != nil {
		return nil, nil, fmt.Errorf("build a client for leases: %w", err)
	}
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.Burst = float32(set.qps), set.burst
	if work, err = kubernetes.NewForConfig(cfg); err != nil {
		return nil, nil, fmt.Errorf("build a client: %w", err)
	}
	return work, leases, nil
}

// strip drops what nobody here reads and what often is the larger part of an object.
func strip(obj any) (any, error) {
	if object, err := meta.Accessor(obj); err == nil {
		object.SetManagedFields(nil)
	}
	return obj, nil
}
