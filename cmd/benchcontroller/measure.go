package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/sleep"
)

const (
	domain = "example.com"
	// writers is how many POST side by side, as many as the controller has workers.
	writers = 5
	// defaultIdle is how long to look on while nothing changes.
	defaultIdle = 15 * time.Second
	// bound is how long one measurement may take.
	bound = 10 * time.Minute
	// pause is how long to wait between two measurements, for the API server to
	// be done with the one before.
	pause = time.Second
)

// bench is the whole measurement.
type bench struct {
	out                   io.Writer
	kubeconfig, program   string
	small, large, limited int
	repeats, largeRepeats int
	idle                  time.Duration
	client                kubernetes.Interface
	self                  string
}

func (b *bench) run(ctx context.Context, cfg *rest.Config) error {
	if b.program == "" {
		return errors.New("-program is missing")
	}
	var err error
	if b.client, err = kubernetes.NewForConfig(cfg); err != nil {
		return fmt.Errorf("build a client: %w", err)
	}
	if b.self, err = os.Executable(); err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	small, err := b.compare(ctx, b.small, b.repeats, false)
	if err != nil {
		return err
	}
	if err := b.defaultLimits(ctx, small); err != nil {
		return err
	}
	if b.large == 0 {
		return nil
	}
	large, err := b.compare(ctx, b.large, b.largeRepeats, true)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "\nthe solution's ratio, %d Services against %d: %.2f / %.2f = %.2f\n",
		b.large, b.small, large.ratio, small.ratio, large.ratio/small.ratio)
	return nil
}

func (b *bench) solution(namespace string) []string {
	return []string{b.program, "--kubeconfig", b.kubeconfig, "--namespace", namespace, "--domain", domain, "--listen", "127.0.0.1:0"}
}

func (b *bench) peer(namespace string) []string {
	return []string{b.self, "-kubeconfig", b.kubeconfig, "-namespace", namespace}
}

// outcome is what one comparison found.
type outcome struct {
	direct, solution time.Duration
	ratio            float64
}

// compare lets the writers, the solution and the peer take turns on the same n
// Services, and prints the medians.
func (b *bench) compare(ctx context.Context, n, repeats int, resting bool) (outcome, error) {
	fmt.Fprintf(b.out, "\n%d Services, %d times\n", n, repeats)
	began := time.Now()
	namespace, services, err := b.prepare(ctx, n)
	if err != nil {
		return outcome{}, err
	}
	fmt.Fprintf(b.out, "  made in %s\n", round(time.Since(began)))
	defer b.remove(context.WithoutCancel(ctx), namespace)
	var direct, solution, peer []time.Duration
	for i := range repeats {
		d, err := b.direct(ctx, namespace, services)
		if err != nil {
			return outcome{}, err
		}
		last := resting && i == repeats-1
		s, err := b.process(ctx, "solution", b.solution(namespace), namespace, n, last)
		if err != nil {
			return outcome{}, err
		}
		p, err := b.process(ctx, "controller-runtime", b.peer(namespace), namespace, n, last)
		if err != nil {
			return outcome{}, err
		}
		direct, solution, peer = append(direct, d), append(solution, s), append(peer, p)
		fmt.Fprintf(b.out, "  %d: writers %s, solution %s (%.2f), controller-runtime %s (%.2f)\n", i+1,
			round(d), round(s), s.Seconds()/d.Seconds(), round(p), p.Seconds()/d.Seconds())
	}
	result := outcome{direct: median(direct), solution: median(solution)}
	// The machine is not the same from one minute to the next, so each turn is
	// compared with the writers of that turn.
	result.ratio = medianRatio(solution, direct)
	fmt.Fprintf(b.out, "  median: writers %s, solution %s, controller-runtime %s; ratios of a turn: solution %.2f, controller-runtime %.2f\n",
		round(result.direct), round(result.solution), round(median(peer)), result.ratio, medianRatio(peer, direct))
	return result, nil
}

// defaultLimits measures the solution with what client-go does when nobody says
// anything, on fewer Services, and reckons the rest.
func (b *bench) defaultLimits(ctx context.Context, small outcome) error {
	namespace, _, err := b.prepare(ctx, b.limited)
	if err != nil {
		return err
	}
	defer b.remove(context.WithoutCancel(ctx), namespace)
	args := append(b.solution(namespace), "--qps", "5", "--burst", "10")
	took, err := b.process(ctx, "solution", args, namespace, b.limited, false)
	if err != nil {
		return err
	}
	// The first requests are let through at once; after that it is 5 a second.
	reckoned := took + time.Duration(b.small-b.limited)*time.Second/5
	fmt.Fprintf(b.out, "\nsolution with the client's default limits, 5 a second and 10 at once: %d Services in %s; %d would take %s "+
		"(reckoned), %.0f times the writers\n",
		b.limited, round(took), b.small, round(reckoned), reckoned.Seconds()/small.direct.Seconds())
	return nil
}

// prepare makes a namespace with n annotated Services.
func (b *bench) prepare(ctx context.Context, n int) (string, []*corev1.Service, error) {
	ns, err := b.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "bench-"}},
		metav1.CreateOptions{})
	if err != nil {
		return "", nil, fmt.Errorf("create a namespace: %w", err)
	}
	services := make([]*corev1.Service, n)
	err = side(n, func(i int) (err error) {
		services[i], err = b.client.CoreV1().Services(ns.Name).Create(ctx, &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{
				Name:        fmt.Sprintf("service-%04d", i),
				Labels:      map[string]string{"app.kubernetes.io/name": "shop", "app.kubernetes.io/part-of": "bench"},
				Annotations: map[string]string{"ingress/http": "true"},
			},
			Spec: corev1.ServiceSpec{
				// Allotting addresses takes longer than all that is measured.
				ClusterIP: corev1.ClusterIPNone,
				Selector:  map[string]string{"app.kubernetes.io/name": "shop"},
				Ports:     []corev1.ServicePort{{Name: "http", Port: 80}, {Name: "metrics", Port: 9090}},
			},
		}, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return "", nil, fmt.Errorf("create services: %w", err)
	}
	return ns.Name, services, nil
}

// side does n things, as many at a time as there are writers.
func side(n int, do func(i int) error) error {
	next := make(chan int)
	errs := make([]error, writers)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range next {
				if errs[w] == nil {
					errs[w] = do(i)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
	return errors.Join(errs...)
}

// direct POSTs the Ingresses that the controllers would make.
func (b *bench) direct(ctx context.Context, namespace string, services []*corev1.Service) (time.Duration, error) {
	bodies := make([]*networkingv1.Ingress, len(services))
	for i, service := range services {
		bodies[i] = &networkingv1.Ingress{
			ObjectMeta: metav1.ObjectMeta{
				Name:            service.Name,
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(service, corev1.SchemeGroupVersion.WithKind("Service"))},
			},
			Spec: networkingv1.IngressSpec{Rules: rules(service, domain)},
		}
	}
	began := time.Now()
	err := side(len(bodies), func(i int) error {
		_, err := b.client.NetworkingV1().Ingresses(namespace).Create(ctx, bodies[i], metav1.CreateOptions{})
		return err
	})
	took := time.Since(began)
	if err != nil {
		return 0, fmt.Errorf("create ingresses: %w", err)
	}
	return took, b.clear(ctx, namespace)
}

// process starts a controller and waits until there are n Ingresses.
func (b *bench) process(ctx context.Context, name string, args []string, namespace string, n int, resting bool) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	list, err := b.client.NetworkingV1().Ingresses(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, fmt.Errorf("list ingresses: %w", err)
	}
	watcher, err := b.client.NetworkingV1().Ingresses(namespace).Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return 0, fmt.Errorf("watch ingresses: %w", err)
	}
	defer watcher.Stop()
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start %s: %w", name, err)
	}
	took, err := await(ctx, watcher, n, began)
	if err == nil && resting {
		err = b.rest(ctx, name, cmd.Process.Pid)
	}
	cancel()
	_ = cmd.Wait() // it ends because it was told to
	if err != nil {
		return 0, fmt.Errorf("%s: %w; its output ends:\n%s", name, err, tail(log.String()))
	}
	return took, b.clear(context.WithoutCancel(ctx), namespace)
}

// await counts Ingresses as they come.
func await(ctx context.Context, watcher watch.Interface, n int, began time.Time) (time.Duration, error) {
	for seen := 0; ; {
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("there are %d of %d ingresses: %w", seen, n, ctx.Err())
		case event, ok := <-watcher.ResultChan():
			if !ok {
				return 0, fmt.Errorf("the watch ended with %d of %d ingresses", seen, n)
			}
			if event.Type != watch.Added {
				continue
			}
			if seen++; seen == n {
				return time.Since(began), nil
			}
		}
	}
}

// rest looks on while nothing changes: memory, and writes.
func (b *bench) rest(ctx context.Context, name string, pid int) error {
	if err := sleep.For(ctx, 3*time.Second); err != nil {
		return err
	}
	before, err := b.written(ctx)
	if err != nil {
		return err
	}
	if err := sleep.For(ctx, b.idle); err != nil {
		return err
	}
	after, err := b.written(ctx)
	if err != nil {
		return err
	}
	resident, peak, err := memory(pid)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "  %s at rest: %d MiB resident, %d MiB at most; writes to services, ingresses and events in %s: %d\n",
		name, resident, peak, b.idle, after-before)
	return nil
}

var writeCount = regexp.MustCompile(`^apiserver_request_total\{.*resource="(ingresses|services|events)".*` +
	`verb="(POST|PUT|PATCH|APPLY|DELETE)".*\} (\S+)`)

// written is how many writes the API server has counted, those that changed
// nothing among them.
func (b *bench) written(ctx context.Context) (int, error) {
	text, err := b.client.CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the API server's metrics: %w", err)
	}
	sum := 0
	for line := range strings.Lines(string(text)) {
		match := writeCount.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		count, err := strconv.ParseFloat(match[3], 64)
		if err != nil {
			return 0, fmt.Errorf("read the API server's metrics: %w", err)
		}
		sum += int(count)
	}
	return sum, nil
}

// memory is what a process keeps resident, now and at most, in MiB.
func memory(pid int) (resident, peak int, err error) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, fmt.Errorf("read the memory of process %d: %w", pid, err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 {
			continue
		}
		kib, err := strconv.Atoi(fields[1])
		switch {
		case err != nil:
		case fields[0] == "VmRSS:":
			resident = kib / 1024
		case fields[0] == "VmHWM:":
			peak = kib / 1024
		}
	}
	return resident, peak, lines.Err()
}

// clear deletes the Ingresses and waits until they are gone.
func (b *bench) clear(ctx context.Context, namespace string) error {
	ingresses := b.client.NetworkingV1().Ingresses(namespace)
	for {
		if err := ingresses.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			return fmt.Errorf("delete ingresses: %w", err)
		}
		list, err := ingresses.List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil {
			return fmt.Errorf("list ingresses: %w", err)
		}
		if err := sleep.For(ctx, pause); err != nil {
			return err
		}
		if len(list.Items) == 0 {
			return nil
		}
	}
}

func (b *bench) remove(ctx context.Context, namespace string) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	// A namespace that stays is in the way of nobody.
	_ = b.client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{})
}

func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[(len(sorted)-1)/2]
}

func medianRatio(of, to []time.Duration) float64 {
	ratios := make([]float64, len(of))
	for i := range of {
		ratios[i] = of[i].Seconds() / to[i].Seconds()
	}
	slices.Sort(ratios)
	return ratios[(len(ratios)-1)/2]
}

func round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

func tail(text string) string { return text[max(0, len(text)-1500):] }
