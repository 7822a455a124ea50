package check

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/trace"
)

// watchAge is how long a SlowPod keeps a watch open: like every server, it ends them.
const watchAge = time.Minute

// enoughLooks are so many answers to get and list that whoever asks more often
// than the clock can jump sees the end as well.
const enoughLooks = 5000

// SlowPod is a server without a network that holds one pod and knows get, list,
// watch and delete. Its pod takes its time to go, by the clock of FakeTime.
type SlowPod struct {
	namespace, name string
	after           time.Duration

	mu      sync.Mutex
	deleted time.Time
	looks   int
}

// NewSlowPod makes a pod that is gone when after has passed since its DELETE, or
// after a great many looks.
func NewSlowPod(namespace, name string, after time.Duration) *SlowPod {
	return &SlowPod{namespace: namespace, name: name, after: after}
}

// Recorder returns a rest.Config that leads to this server alone. s may be nil.
func (p *SlowPod) Recorder(s *S) (*Recorder, *rest.Config) {
	rec := &Recorder{s: s}
	cfg := &rest.Config{Host: "https://slow.example.com", QPS: -1, Transport: trace.RoundTripperFunc(p.roundTrip)}
	cfg.Wrap(rec.Wrap)
	return rec, cfg
}

func (p *SlowPod) roundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	seen := describe(req)
	req, body, err := trace.KeepBody(req)
	if err != nil {
		return nil, err
	}
	seen.Body = body
	opts, err := deleteOptions(seen)
	if err != nil {
		return nil, err
	}
	p.look(seen.Verb)
	pod, version := p.now()
	known := seen.Resource == "pods" && seen.Subresource == "" && (seen.Namespace == p.namespace || seen.Namespace == "")
	switch {
	case !known:
		return statusResponse(req, http.StatusBadRequest, metav1.StatusReasonBadRequest, "this server knows pods only")
	case seen.Verb == "watch" && seen.Name == "":
		return p.watch(req)
	case seen.Verb == "list":
		list := corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}}
		list.ResourceVersion = strconv.Itoa(version)
		if pod != nil {
			list.Items = []corev1.Pod{*pod}
		}
		return objectResponse(req, list)
	case seen.Verb != "get" && seen.Verb != "delete":
		return statusResponse(req, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed,
			"this server knows get, list, watch and delete only")
	case pod == nil || seen.Name != p.name:
		return statusResponse(req, http.StatusNotFound, metav1.StatusReasonNotFound, fmt.Sprintf("pods %q not found", seen.Name))
	case seen.Verb == "get":
		return objectResponse(req, pod)
	case opts.Preconditions != nil && opts.Preconditions.UID != nil && *opts.Preconditions.UID != pod.UID:
		return statusResponse(req, http.StatusConflict, metav1.StatusReasonConflict, "the UID in the precondition is another one")
	}
	if len(opts.DryRun) == 0 && req.URL.Query().Get("dryRun") == "" {
		p.delete()
		pod, _ = p.now()
	}
	return objectResponse(req, pod)
}

// deleteOptions are those in the body of a DELETE; of any other request, and
// without a body, they say nothing.
func deleteOptions(r Request) (metav1.DeleteOptions, error) {
	var opts metav1.DeleteOptions
	if r.Method != http.MethodDelete || len(r.Body) == 0 {
		return opts, nil
	}
	body, err := r.Object()
	if err != nil {
		return opts, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(body, &opts); err != nil {
		return opts, fmt.Errorf("read the options of %s: %w", r, err)
	}
	return opts, nil
}

// Gone reports whether the pod has gone.
func (p *SlowPod) Gone() bool {
	pod, _ := p.now()
	return pod == nil
}

func (p *SlowPod) look(verb string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if verb == "get" || verb == "list" {
		p.looks++
	}
}

func (p *SlowPod) delete() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deleted.IsZero() {
		p.deleted = time.Now()
	}
}

// now returns the pod, nil when it is gone, and the resourceVersion of the whole.
func (p *SlowPod) now() (*corev1.Pod, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.deleted.IsZero():
		return p.pod(1), 1
	case time.Since(p.deleted) < p.after && p.looks < enoughLooks:
		return p.pod(2), 2
	default:
		return nil, 3
	}
}

// pod is the pod in one of its versions: it runs, it ends, it is gone.
func (p *SlowPod) pod(version int) *corev1.Pod {
	pod := PendingPod(p.name, nil)
	pod.TypeMeta = metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}
	pod.Namespace, pod.UID, pod.ResourceVersion = p.namespace, "slow", strconv.Itoa(version)
	if version > 1 {
		pod.DeletionTimestamp = &metav1.Time{Time: p.deleted}
	}
	return pod
}

// watch tells of every version after the one asked for, until it ends.
func (p *SlowPod) watch(req *http.Request) (*http.Response, error) {
	query := req.URL.Query()
	if query.Get("sendInitialEvents") != "" {
		return statusResponse(req, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "sendInitialEvents is not supported")
	}
	from, _ := strconv.Atoi(query.Get("resourceVersion"))
	r, w := io.Pipe()
	go func() {
		err := p.tell(req, w, from)
		w.CloseWithError(err)
	}()
	resp := response(req, http.StatusOK, "application/json;stream=watch", nil)
	resp.Body, resp.ContentLength = r, -1
	return resp, nil
}

func (p *SlowPod) tell(req *http.Request, w io.Writer, from int) error {
	if from == 0 {
		pod, version := p.now()
		if pod != nil {
			if err := writeEvent(w, "ADDED", pod); err != nil {
				return err
			}
		}
		from = version
	}
	age := watchAge
	if seconds, err := strconv.Atoi(req.URL.Query().Get("timeoutSeconds")); err == nil {
		age = min(age, time.Duration(seconds)*time.Second)
	}
	end := time.After(age)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		for _, version := p.now(); from < version; from++ {
			kind := "MODIFIED"
			if from+1 == 3 {
				kind = "DELETED"
			}
			p.mu.Lock()
			pod := p.pod(from + 1)
			p.mu.Unlock()
			if err := writeEvent(w, kind, pod); err != nil {
				return err
			}
		}
		select {
		case <-req.Context().Done():
			return req.Context().Err()
		case <-end:
			return io.EOF
		case <-tick.C:
		}
	}
}

func writeEvent(w io.Writer, kind string, pod *corev1.Pod) error {
	data, err := json.Marshal(map[string]any{"type": kind, "object": pod})
	if err != nil {
		return fmt.Errorf("encode an event: %w", err)
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

func objectResponse(req *http.Request, obj any) (*http.Response, error) {
	body, err := json.Marshal(obj)
	if err != nil {
		return nil, fmt.Errorf("encode the answer to %s: %w", strings.ToUpper(req.Method), err)
	}
	return response(req, http.StatusOK, "application/json", body), nil
}
