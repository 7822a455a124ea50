package cluster

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// Guard verifies that cfg leads to the workshop's cluster and returns a copy of
// cfg whose transport never sends a changing request to another host or port
// than the verified one, even if the copy's Host is changed later. cfg itself
// stays as it is.
//
// Errors are those of [Verify].
func Guard(ctx context.Context, cfg *rest.Config) (*rest.Config, error) {
	return guard(ctx, cfg, "")
}

func guard(ctx context.Context, cfg *rest.Config, contextName string) (*rest.Config, error) {
	if cfg == nil {
		return nil, fmt.Errorf("guard a rest.Config: it is nil: %w", ErrNoCluster)
	}
	guarded := rest.CopyConfig(cfg)
	if _, err := readMarker(ctx, guarded, contextName); err != nil {
		return nil, err
	}
	base, err := serverURL(guarded)
	if err != nil {
		return nil, err
	}
	// The guard goes below the wrappers that are there already, and those
	// that are added later go above it: it sees what really leaves.
	guarded.WrapTransport = transport.Wrappers(onlyTo(hostPort(base)), guarded.WrapTransport)
	return guarded, nil
}

// onlyTo returns a transport wrapper that holds back changing requests to any
// other host and port than verified.
func onlyTo(verified string) transport.WrapperFunc {
	return func(rt http.RoundTripper) http.RoundTripper {
		return &guardTransport{next: rt, verified: verified}
	}
}

type guardTransport struct {
	next     http.RoundTripper
	verified string
}

// RoundTrip sends req, unless it may change something on another server.
func (t *guardTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if hostPort(req.URL) != t.verified && mayChange(req) {
		if req.Body != nil {
			_ = req.Body.Close() // a RoundTripper closes the body, also on errors
		}
		return nil, &StrayRequestError{Method: req.Method, URL: req.URL.Redacted(), Verified: t.verified}
	}
	return t.next.RoundTrip(req)
}

// WrappedRoundTripper lets apimachinery find the transport below.
func (t *guardTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

// mayChange reports whether a request is more than a plain read. A GET that
// upgrades its connection can be an exec, so it counts.
func mayChange(req *http.Request) bool {
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions:
		return req.Header.Get("Upgrade") != ""
	}
	return true
}

// serverURL returns the URL that client-go would use for cfg.
func serverURL(cfg *rest.Config) (*url.URL, error) {
	bare := rest.CopyConfig(cfg)
	bare.APIPath, bare.GroupVersion = "", nil
	base, _, err := rest.DefaultServerUrlFor(bare)
	if err != nil {
		return nil, fmt.Errorf("server address %q: %w", cfg.Host, err)
	}
	return base, nil
}

// hostPort returns the URL's host and port in one form, the port spelt out.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "80"
		if strings.EqualFold(u.Scheme, "https") || strings.EqualFold(u.Scheme, "wss") {
			port = "443"
		}
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}
