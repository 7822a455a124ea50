package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
)

const (
	// MarkerName is the ConfigMap in [Namespace] that tells the workshop's
	// cluster from any other.
	MarkerName = "client-go-workshop"

	managedByLabel = "app.kubernetes.io/managed-by"
	managedBy      = "client-go-workshop"

	namespacesPath = "/api/v1/namespaces"
	configMapsPath = namespacesPath + "/" + Namespace + "/configmaps"
	markerPath     = configMapsPath + "/" + MarkerName

	// userAgent tells the owner of a cluster that was refused who asked there.
	userAgent = "client-go-workshop/marker"

	// requestTimeout bounds each request of this package: a server that does
	// not answer within it counts as not answering.
	requestTimeout = 10 * time.Second

	// maxAnswer bounds how much of an answer is read, in bytes.
	maxAnswer = 1 << 20
)

// Marker is what `up` wrote into a cluster.
type Marker struct {
	// Provider is the name of what made the cluster.
	Provider string `json:"provider"`
	// ID is a random UUID: another one means another cluster.
	ID string `json:"id"`
	// CreatedAt is in RFC 3339.
	CreatedAt string `json:"createdAt"`
}

// Verify asks cfg's server for the workshop's marker, with one GET and nothing
// else, and returns nil if it is there. It returns
//   - a [*RefusedError] when the server answers without the marker,
//   - an [*UnreachableError] when it does not answer,
//   - ctx's error when ctx ends first.
func Verify(ctx context.Context, cfg *rest.Config) error {
	_, err := ReadMarker(ctx, cfg)
	return err
}

// ReadMarker does as [Verify] and returns what the marker says.
func ReadMarker(ctx context.Context, cfg *rest.Config) (Marker, error) {
	if cfg == nil {
		return Marker{}, fmt.Errorf("verify a rest.Config: it is nil: %w", ErrNoCluster)
	}
	return readMarker(ctx, cfg, "")
}

func readMarker(ctx context.Context, cfg *rest.Config, contextName string) (Marker, error) {
	c, err := newClient(cfg)
	if err != nil {
		return Marker{}, err
	}
	marker, why, err := c.marker(ctx)
	if err == nil && why == "" {
		return marker, nil
	}
	if contextName == "" {
		contextName = contextOf(cfg)
	}
	switch {
	case ctx.Err() != nil:
		return Marker{}, fmt.Errorf("verify the cluster at %s: %w", c.server, ctx.Err())
	case err != nil:
		return Marker{}, &UnreachableError{Server: c.server, Context: contextName, Kubeconfig: kubeconfigEnv(), Err: err}
	default:
		return Marker{}, &RefusedError{Server: c.server, Context: contextName, Kubeconfig: kubeconfigEnv(), Reason: why}
	}
}

// Mark makes cfg's cluster the workshop's: it creates the namespace and the
// marker, or mends them. A marker that is there stays as it is, with its id.
// provider is the name of what made the cluster.
//
// Only `up` may call it, for a cluster that it started itself or that was named
// on purpose: this is the one function that writes to an unmarked cluster.
func Mark(ctx context.Context, cfg *rest.Config, provider string) error {
	c, err := newClient(cfg)
	if err != nil {
		return err
	}
	_, why, err := c.marker(ctx)
	if err != nil {
		return fmt.Errorf("mark the cluster at %s: %w", c.server, err)
	}
	if why == "" {
		return nil
	}
	if err := c.writeMarker(ctx, provider); err != nil {
		return fmt.Errorf("mark the cluster at %s: %w", c.server, err)
	}
	return nil
}

// client speaks the few requests of this package. It is plain HTTP on purpose:
// client-go's REST client repeats some requests, and [Verify] promises one.
type client struct {
	http   *http.Client
	base   string // without a slash at the end
	server string // the same for messages
}

// newClient leaves the config's own transport wrappers out, so that a program's
// trace shows its own requests only.
func newClient(cfg *rest.Config) (*client, error) {
	base, err := serverURL(cfg)
	if err != nil {
		return nil, err
	}
	plain := rest.CopyConfig(cfg)
	plain.WrapTransport = nil
	rt, err := rest.TransportFor(plain)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", base.Redacted(), err)
	}
	return &client{
		http:   &http.Client{Transport: rt, Timeout: requestTimeout, CheckRedirect: stayHere},
		base:   strings.TrimRight(base.String(), "/"),
		server: strings.TrimRight(base.Redacted(), "/"),
	}, nil
}

// stayHere keeps a redirect from leading to a server that nobody named.
func stayHere(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// marker reads the marker. why says in words what is there instead, "" if the
// marker is; err means that there is no sensible answer.
func (c *client) marker(ctx context.Context) (m Marker, why string, err error) {
	status, body, err := c.do(ctx, http.MethodGet, markerPath, "", nil)
	if err != nil {
		return m, "", err
	}
	switch {
	case status == http.StatusOK:
		return parseMarker(body)
	case status == http.StatusNotFound:
		return m, fmt.Sprintf("no ConfigMap %s in namespace %s", MarkerName, Namespace), nil
	case status == http.StatusForbidden, status == http.StatusUnauthorized:
		return m, fmt.Sprintf("it does not let this user read ConfigMap %s in namespace %s: %s", MarkerName, Namespace, statusText(status)), nil
	case status == http.StatusTooManyRequests, status >= 500:
		return m, "", fmt.Errorf("it answers %s", statusText(status))
	}
	return m, "it answers " + statusText(status), nil
}

func parseMarker(body []byte) (Marker, string, error) {
	var cm corev1.ConfigMap
	if err := json.Unmarshal(body, &cm); err != nil || cm.Kind != "ConfigMap" || cm.Name != MarkerName {
		return Marker{}, "its answer is not a ConfigMap", nil
	}
	m := Marker{Provider: cm.Data["provider"], ID: cm.Data["id"], CreatedAt: cm.Data["createdAt"]}
	if cm.Labels[managedByLabel] != managedBy || m.ID == "" {
		return Marker{}, fmt.Sprintf("ConfigMap %s in namespace %s was not made by the workshop", MarkerName, Namespace), nil
	}
	return m, "", nil
}

// writeMarker creates the namespace and the marker. A ConfigMap of that name
// that is not the marker becomes it.
func (c *client) writeMarker(ctx context.Context, provider string) error {
	ns := &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: Namespace, Labels: map[string]string{managedByLabel: managedBy}},
	}
	if _, err := c.create(ctx, namespacesPath, ns); err != nil {
		return fmt.Errorf("create namespace %s: %w", Namespace, err)
	}
	cm := &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{
			Name: MarkerName, Namespace: Namespace,
			Labels: map[string]string{managedByLabel: managedBy},
		},
		Data: map[string]string{
			"provider":  provider,
			"id":        string(uuid.NewUUID()),
			"createdAt": time.Now().UTC().Format(time.RFC3339),
		},
	}
	existed, err := c.create(ctx, configMapsPath, cm)
	if err == nil && existed {
		err = c.mend(ctx, cm)
	}
	if err != nil {
		return fmt.Errorf("write ConfigMap %s in namespace %s: %w", MarkerName, Namespace, err)
	}
	return nil
}

// create posts an object; an object of that name that is there is no error.
func (c *client) create(ctx context.Context, path string, obj any) (existed bool, err error) {
	status, body, err := c.send(ctx, http.MethodPost, path, "application/json", obj)
	if err != nil {
		return false, err
	}
	if status == http.StatusConflict && reasonOf(body) == metav1.StatusReasonAlreadyExists {
		return true, nil
	}
	return false, failure(status, body)
}

// mend makes the ConfigMap that is there the marker, unless another `up` was
// faster and it is one by now.
func (c *client) mend(ctx context.Context, cm *corev1.ConfigMap) error {
	_, why, err := c.marker(ctx)
	if err != nil || why == "" {
		return err
	}
	patch := map[string]any{"metadata": map[string]any{"labels": cm.Labels}, "data": cm.Data}
	status, body, err := c.send(ctx, http.MethodPatch, markerPath, "application/merge-patch+json", patch)
	if err != nil {
		return err
	}
	return failure(status, body)
}

func (c *client) send(ctx context.Context, method, path, contentType string, obj any) (int, []byte, error) {
	data, err := json.Marshal(obj)
	if err != nil {
		return 0, nil, err
	}
	return c.do(ctx, method, path, contentType, data)
}

// do sends one request and returns the answer's status and body.
func (c *client) do(ctx context.Context, method, path, contentType string, data []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(data))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", userAgent)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return 0, nil, fmt.Errorf("read the answer to %s %s: %w", method, path, err)
	}
	return resp.StatusCode, body, nil
}

// failure returns nil for a 2xx status, else what the server said.
func failure(status int, body []byte) error {
	if status >= 200 && status < 300 {
		return nil
	}
	var s metav1.Status
	if json.Unmarshal(body, &s) == nil && s.Message != "" {
		return errors.New(s.Message)
	}
	return fmt.Errorf("the server answers %s", statusText(status))
}

func reasonOf(body []byte) metav1.StatusReason {
	var s metav1.Status
	if json.Unmarshal(body, &s) != nil {
		return ""
	}
	return s.Reason
}

func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
