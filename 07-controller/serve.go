package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// serve answers /healthz, /readyz and /metrics on address until ctx ends. It
// returns when it listens; an empty address serves nothing.
func serve(ctx context.Context, address string, metrics *queueMetrics, ready func() bool) (stopped <-chan struct{}, err error) {
	done := make(chan struct{})
	if address == "" {
		close(done)
		return done, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for health and metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !ready() {
			http.Error(w, "the caches are not whole yet", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics.registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() }) // nobody waits for what a closed server says
	go func() {
		defer close(done)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			klog.FromContext(ctx).Error(err, "Stopped serving health and metrics")
		}
	}()
	klog.FromContext(ctx).Info("Serving health and metrics", "address", listener.Addr())
	return done, nil
}

// queueMetrics gives the workqueue its metrics, under the names that they have
// in Kubernetes' own controllers.
type queueMetrics struct{ registry *prometheus.Registry }

func newQueueMetrics() *queueMetrics {
	m := &queueMetrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *queueMetrics) gauge(queue, name, help string) prometheus.Gauge {
	gauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: "workqueue_" + name, Help: help, ConstLabels: prometheus.Labels{"name": queue}})
	m.registry.MustRegister(gauge)
	return gauge
}

func (m *queueMetrics) counter(queue, name, help string) prometheus.Counter {
	counter := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "workqueue_" + name, Help: help, ConstLabels: prometheus.Labels{"name": queue}})
	m.registry.MustRegister(counter)
	return counter
}

func (m *queueMetrics) histogram(queue, name, help string) prometheus.Histogram {
	histogram := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "workqueue_" + name, Help: help, ConstLabels: prometheus.Labels{"name": queue},
		Buckets: prometheus.ExponentialBuckets(1e-4, 10, 7),
	})
	m.registry.MustRegister(histogram)
	return histogram
}

func (m *queueMetrics) NewDepthMetric(queue string) workqueue.GaugeMetric {
	return m.gauge(queue, "depth", "Keys that wait.")
}

func (m *queueMetrics) NewAddsMetric(queue string) workqueue.CounterMetric {
	return m.counter(queue, "adds_total", "Keys that were added.")
}

func (m *queueMetrics) NewLatencyMetric(queue string) workqueue.HistogramMetric {
	return m.histogram(queue, "queue_duration_seconds", "How long a key waits before it is worked on.")
}

func (m *queueMetrics) NewWorkDurationMetric(queue string) workqueue.HistogramMetric {
	return m.histogram(queue, "work_duration_seconds", "How long the work on a key takes.")
}

func (m *queueMetrics) NewUnfinishedWorkSecondsMetric(queue string) workqueue.SettableGaugeMetric {
	return m.gauge(queue, "unfinished_work_seconds", "How long the keys in work have been so, in all.")
}

func (m *queueMetrics) NewLongestRunningProcessorSecondsMetric(queue string) workqueue.SettableGaugeMetric {
	return m.gauge(queue, "longest_running_processor_seconds", "How long the oldest key in work has been so.")
}

func (m *queueMetrics) NewRetriesMetric(queue string) workqueue.CounterMetric {
	return m.counter(queue, "retries_total", "Keys that were put back for later.")
}
