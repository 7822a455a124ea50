// The fake control plane follows the command line, the files and the signals of
// cmd/controlplane, and keeps namespaces and ConfigMaps in one file.
//
// FAKE_MODE changes it: "fail" reports a failure, "exit" ends at once, "hang"
// is never ready, "stubborn" does not listen to SIGTERM, "slow" takes a second.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const kubeconfig = `apiVersion: v1
kind: Config
current-context: client-go-workshop
clusters: [{name: client-go-workshop, cluster: {server: "%s"}}]
users: [{name: client-go-workshop, user: {}}]
contexts: [{name: client-go-workshop, context: {cluster: client-go-workshop, user: client-go-workshop, namespace: workshop}}]
`

func main() {
	// controlplane serve --dir DIR --kubeconfig FILE
	if len(os.Args) != 6 || os.Args[1] != "serve" || os.Args[2] != "--dir" || os.Args[4] != "--kubeconfig" {
		fail("wrong use: %q", os.Args)
	}
	dir, config, mode := os.Args[3], os.Args[5], os.Getenv("FAKE_MODE")
	fmt.Fprintf(os.Stderr, "fake control plane, pid %d, mode %q\n", os.Getpid(), mode)
	lock(dir)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)

	report(dir, "starting", "", "")
	switch mode {
	case "exit":
		fail("the fake ends as it was told to")
	case "fail":
		report(dir, "failed", "", "the fake fails as it was told to")
		os.Exit(1)
	case "hang":
		<-signals
		os.Exit(0)
	case "slow":
		time.Sleep(time.Second)
	}
	url := serve(dir)
	write(config, []byte(fmt.Sprintf(kubeconfig, url)))
	report(dir, "ready", url, "")
	for range signals {
		if mode != "stubborn" {
			report(dir, "stopping", url, "")
			os.Exit(0)
		}
	}
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

func lock(dir string) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		fail("lock: %v", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		fail("another control plane runs on %s: %v", dir, err)
	}
	// The file stays open, and locked, as long as the process lives.
	_, _ = syscall.Dup(int(file.Fd()))
}

func report(dir, phase, url, cause string) {
	data, _ := json.Marshal(map[string]any{
		"pid": os.Getpid(), "phase": phase, "url": url, "version": "v0.0.0-fake",
		"startedAt": time.Now().UTC().Truncate(time.Second), "error": cause,
	})
	write(filepath.Join(dir, "status.json"), data)
}

func write(path string, data []byte) {
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		fail("write: %v", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		fail("write: %v", err)
	}
}

func serve(dir string) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fail("listen: %v", err)
	}
	s := &store{path: filepath.Join(dir, "objects.json"), objects: map[string]json.RawMessage{}}
	if data, err := os.ReadFile(s.path); err == nil {
		_ = json.Unmarshal(data, &s.objects)
	}
	go func() { fail("serve: %v", http.Serve(listener, s)) }()
	return "http://" + listener.Addr().String()
}

type store struct {
	mu      sync.Mutex
	path    string
	objects map[string]json.RawMessage
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Method == http.MethodGet && s.objects[r.URL.Path] != nil:
		_, _ = w.Write(s.objects[r.URL.Path])
	case r.Method == http.MethodDelete:
		delete(s.objects, r.URL.Path)
		s.save()
	case r.Method == http.MethodPost:
		s.create(w, r)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (s *store) create(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var object struct{ Metadata struct{ Name string } }
	_ = json.Unmarshal(body, &object)
	path := r.URL.Path + "/" + object.Metadata.Name
	if s.objects[path] != nil {
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(`{"kind":"Status","reason":"AlreadyExists"}`))
		return
	}
	s.objects[path] = body
	s.save()
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(body)
}

func (s *store) save() {
	data, _ := json.Marshal(s.objects)
	write(s.path, data)
}
