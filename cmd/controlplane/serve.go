package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gofrs/flock"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

const (
	// readyTimeout is how long a start may take before it counts as failed.
	readyTimeout = 3 * time.Minute
	// readyPoll is how often the start looks whether it is done.
	readyPoll = 50 * time.Millisecond
	// stopTimeout bounds the wait for requests that are under way. What they
	// have been promised is on disk by then.
	stopTimeout = 5 * time.Second
	// startingGC lets garbage lie during the start, which makes much of it.
	startingGC = 400
	// restingGC is the usual setting, once the start is over.
	restingGC = 100
	// memoryLimit makes the collector work harder before thousands of objects
	// take more than a laptop can spare. It is a soft limit.
	memoryLimit = 1 << 30
)

// serveOptions are the flags of "controlplane serve".
type serveOptions struct {
	dir        string
	kubeconfig string
	port       int
}

// serve runs the control plane on one directory until ctx ends.
func serve(ctx context.Context, opts serveOptions) error {
	if err := privateDir(opts.dir); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(opts.dir, "lock"), flock.SetPermissions(0o600))
	held, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock %s: %w", opts.dir, err)
	}
	if !held {
		return fmt.Errorf("another control plane is running on %s: see status.json there for its process id", opts.dir)
	}
	defer lock.Close()

	debug.SetGCPercent(startingGC)
	debug.SetMemoryLimit(memoryLimit)
	state := newStatusFile(opts.dir)
	if err := serveLocked(ctx, opts, state); err != nil {
		return errors.Join(err, state.set(phaseFailed, err))
	}
	return nil
}

// serveLocked does the work of serve; the caller holds the lock.
func serveLocked(ctx context.Context, opts serveOptions, state *statusFile) error {
	if err := state.set(phaseStarting, nil); err != nil {
		return err
	}
	p, err := ensurePKI(filepath.Join(opts.dir, "pki"), servingIPs(), servingNames(), time.Now())
	if err != nil {
		return err
	}
	listener, err := listen(opts.dir, opts.port)
	if err != nil {
		return err
	}
	defer listener.Close()
	url := "https://" + listener.Addr().String()
	state.setURL(url)
	if err := writeKubeconfig(opts.kubeconfig, url, p); err != nil {
		return err
	}
	store, err := startEtcd(ctx, filepath.Join(opts.dir, "etcd"))
	if err != nil {
		return err
	}
	defer store.stop()

	plane := &plane{pki: p, state: state, failed: make(chan error, 1)}
	server, err := newAPIServer(ctx, opts.dir, listener, p, store, plane.started)
	if err != nil {
		return err
	}
	return plane.run(ctx, server)
}

// plane is the running control plane.
type plane struct {
	pki   *pki
	state *statusFile
	// ctx ends what runs beside the API server.
	ctx     context.Context
	running sync.WaitGroup
	failed  chan error
}

// run serves until ctx ends, then stops everything: first the controllers, so
// that they do not meet a server that is gone, then the server itself.
func (p *plane) run(ctx context.Context, server *apiServer) error {
	// Both go on after ctx has ended, until they are stopped in order.
	controllersCtx, stopControllers := context.WithCancel(context.WithoutCancel(ctx))
	defer stopControllers()
	serverCtx, stopServer := context.WithCancel(context.WithoutCancel(ctx))
	defer stopServer()

	p.ctx = controllersCtx
	served := make(chan error, 1)
	go func() { served <- server.run(serverCtx) }()

	var cause error
	select {
	case <-ctx.Done():
	case cause = <-p.failed:
	case err := <-served:
		return fmt.Errorf("API server ended: %w", err)
	}
	stopping := p.state.set(phaseStopping, nil)
	stopControllers()
	waitFor(p.running.Wait, stopTimeout)
	stopServer()
	select {
	case err := <-served:
		if err != nil {
			klog.InfoS("API server stopped", "err", err)
		}
	case <-time.After(stopTimeout):
		klog.InfoS("Requests are still under way, stopping without them")
	}
	return errors.Join(cause, stopping)
}

// waitFor calls wait and returns when it does, or after timeout.
func waitFor(wait func(), timeout time.Duration) {
	done := make(chan struct{})
	go func() {
		wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(timeout):
	}
}

// started runs once the API server answers requests. It must not block.
func (p *plane) started(config *rest.Config) {
	p.running.Go(func() {
		if err := p.populate(p.ctx, config); err != nil && p.ctx.Err() == nil {
			p.failed <- err
		}
	})
}

// populate starts the controllers and the node, makes the first objects and
// reports the control plane ready.
func (p *plane) populate(ctx context.Context, config *rest.Config) error {
	controllers, err := newControllerSet(ctx, config, p.pki)
	if err != nil {
		return err
	}
	nodeClient, err := kubernetes.NewForConfig(clientConfig(config, "node", "kubelet"))
	if err != nil {
		return fmt.Errorf("build client of node: %w", err)
	}
	machine, err := newNode(nodeClient, controllers.informers.Core().V1().Pods(), controllers.informers.Core().V1().Nodes())
	if err != nil {
		return err
	}
	controllers.add(machine.run)
	klog.V(1).InfoS("Starting controllers")
	wait := controllers.start(ctx)
	p.running.Go(wait)

	client, err := kubernetes.NewForConfig(clientConfig(config, "start", "workshop"))
	if err != nil {
		return fmt.Errorf("build client of start: %w", err)
	}
	if err := becomeReady(ctx, client, machine); err != nil {
		return fmt.Errorf("become ready: %w", err)
	}
	if err := p.state.set(phaseReady, nil); err != nil {
		return err
	}
	debug.SetGCPercent(restingGC)
	debug.FreeOSMemory()
	return nil
}

// becomeReady makes what must exist before the control plane counts as ready
// and waits for what the controllers add to it. Early requests can fail while
// the server is still setting itself up, so each step is repeated.
func becomeReady(ctx context.Context, client kubernetes.Interface, machine *node) error {
	steps := []func(context.Context) error{
		func(ctx context.Context) error { return ensureNamespace(ctx, client, workshopNamespace) },
		machine.register,
		func(ctx context.Context) error { return checkServiceAccount(ctx, client, workshopNamespace) },
		func(ctx context.Context) error { return checkServiceAccount(ctx, client, metav1.NamespaceDefault) },
		func(ctx context.Context) error { return checkReadyz(ctx, client) },
		func(ctx context.Context) error { return ensureDNS(ctx, client) },
	}
	for i, step := range steps {
		if err := retry(ctx, step); err != nil {
			return err
		}
		klog.V(1).InfoS("Step of the start is done", "step", i+1, "of", len(steps))
	}
	return nil
}

// retry repeats step until it succeeds. When time is up it returns the last
// error that had a cause of its own.
func retry(ctx context.Context, step func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, readyPoll, readyTimeout, true, func(ctx context.Context) (bool, error) {
		err := step(ctx)
		if err != nil && ctx.Err() == nil {
			klog.V(1).InfoS("Not ready yet", "err", err)
			last = err
		}
		return err == nil, nil
	})
	if err != nil {
		return errors.Join(err, last)
	}
	return nil
}

// checkServiceAccount fails until a namespace has its default account.
func checkServiceAccount(ctx context.Context, client kubernetes.Interface, namespace string) error {
	_, err := client.CoreV1().ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get default service account of %s: %w", namespace, err)
	}
	return nil
}

// checkReadyz fails until the API server calls itself ready.
func checkReadyz(ctx context.Context, client kubernetes.Interface) error {
	if err := client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error(); err != nil {
		return fmt.Errorf("ask API server whether it is ready: %w", err)
	}
	return nil
}
