package chaos

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"example.com/client-go-workshop/internal/apirequest"
)

// Request is one request that came through the proxy.
type Request struct {
	apirequest.Info
	At time.Time
	// Replica is who sent it.
	Replica     string
	Path, Query string
	// Status is what the client got; 0 stands for no answer.
	Status int
	Fault  Kind
	// Ended says that the answer is over; that of a watch goes on for minutes.
	Ended bool
}

func (r Request) String() string {
	text := fmt.Sprintf("%s %s %s %s", r.At.Format("15:04:05.000"), r.Replica, r.Verb, r.Path)
	if r.Query != "" {
		text += "?" + r.Query
	}
	text += fmt.Sprintf(" -> %d", r.Status)
	if r.Fault != NoFault {
		text += " (" + string(r.Fault) + ")"
	}
	return text
}

// proxy stands between the controller's replicas and the API server. It speaks
// TLS and HTTP/2 with both, so that the controller's client works as always.
type proxy struct {
	upstream *url.URL
	next     http.RoundTripper
	deal     *dealer
	hooks    hooks

	tls  *tls.Config
	ca   []byte
	addr string

	mu       sync.Mutex
	server   *http.Server
	requests []*Request
	busy     int
}

// hooks are what the proxy has others do.
type hooks struct {
	// kill ends a replica as kill -9 does.
	kill func(replica string, away time.Duration)
	// race changes what a write is about, just before that.
	race func(ctx context.Context, write Request)
}

// newProxy listens on a port of its own.
func newProxy(cfg *rest.Config, deal *dealer, hooks hooks) (*proxy, error) {
	next, err := rest.TransportFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("make the proxy's transport: %w", err)
	}
	upstream, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("make the proxy's address: %w", err)
	}
	p := &proxy{upstream: upstream, next: next, deal: deal, hooks: hooks, addr: "127.0.0.1:0"}
	if err := p.certify(); err != nil {
		return nil, fmt.Errorf("make the proxy's certificate: %w", err)
	}
	return p, p.listen()
}

// certify makes a key and a certificate that its own clients trust.
func (p *proxy) certify() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "chaos"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	p.ca = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	p.tls = &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		NextProtos:   []string{"h2", "http/1.1"},
		MinVersion:   tls.VersionTLS12,
	}
	return nil
}

// listen opens the port, the same one each time.
func (p *proxy) listen() error {
	listener, err := net.Listen("tcp", p.addr)
	if err != nil {
		return fmt.Errorf("open the proxy's port: %w", err)
	}
	server := &http.Server{
		Handler:           p,
		TLSConfig:         p.tls.Clone(),
		ReadHeaderTimeout: 10 * time.Second,
		// What it would tell of broken connections was done on purpose.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	p.mu.Lock()
	p.addr, p.server = listener.Addr().String(), server
	p.mu.Unlock()
	go func() { _ = server.ServeTLS(listener, "", "") }() // it ends with close
	return nil
}

// close refuses connections and breaks those that are open.
func (p *proxy) close() {
	p.mu.Lock()
	server := p.server
	p.mu.Unlock()
	_ = server.Close() // the port is closed in any case
}

// kubeconfig writes a file that leads a replica to the proxy. The token is not
// checked: it tells the replicas apart.
func (p *proxy) kubeconfig(dir, replica string) (string, error) {
	const name = "chaos"
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters[name] = &clientcmdapi.Cluster{Server: "https://" + p.addr, CertificateAuthorityData: p.ca}
	cfg.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: replica}
	cfg.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	cfg.CurrentContext = name
	path := filepath.Join(dir, "kubeconfig-"+replica)
	if err := clientcmd.WriteToFile(*cfg, path); err != nil {
		return "", fmt.Errorf("write the kubeconfig of replica %s: %w", replica, err)
	}
	return path, os.Chmod(path, 0o600)
}

// ServeHTTP passes one request on, or does to it what the plan says.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req := describe(r)
	if req.Verb == "create" && req.Resource == "ingresses" {
		req.Name = nameInBody(r)
	}
	p.begin(req)
	defer p.end(req)
	fault := p.fault(req, r)
	p.note(req, fault.Kind, 0)
	switch fault.Kind {
	case Write500, WriteRefused, Read500:
		p.answer(w, req, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected: the server is in trouble")
		return
	case Write409:
		reason := metav1.StatusReasonConflict
		if req.Verb == "create" {
			reason = metav1.StatusReasonAlreadyExists
		}
		p.answer(w, req, http.StatusConflict, reason, "injected: another writer was here")
		return
	case Write429:
		p.answer(w, req, http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "injected: too many requests")
		return
	case WatchGone:
		p.deal.hold(r.Context().Done(), fault.For)
		p.answer(w, req, http.StatusGone, metav1.StatusReasonExpired, "injected: too old resource version")
		return
	case WriteSlow:
		p.deal.hold(r.Context().Done(), fault.For)
	case WriteRace:
		// It is done and noted even if the sender dies meanwhile.
		p.hooks.race(context.WithoutCancel(r.Context()), *req)
	case KillBefore:
		p.hooks.kill(req.Replica, fault.For)
		panic(http.ErrAbortHandler)
	}
	p.forward(w, r, req, fault)
}

func (p *proxy) fault(req *Request, r *http.Request) Fault {
	switch {
	case req.Resource == "ingresses" && req.Writes():
		return p.deal.write(req.Name)
	case req.Verb == "watch":
		from := r.URL.Query().Get("resourceVersion")
		return p.deal.watch(from == "" || from == "0")
	case req.Resource == "ingresses" || req.Resource == "services":
		return p.deal.read()
	}
	return Fault{}
}

// forward sends the request to the API server, with this proxy's credentials.
func (p *proxy) forward(w http.ResponseWriter, r *http.Request, req *Request, fault Fault) {
	ctx := r.Context()
	if req.Writes() {
		// A write that is under way is done even if its sender is dead by then.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
	}
	out := r.Clone(ctx)
	out.RequestURI = ""
	out.URL.Scheme, out.URL.Host, out.Host = p.upstream.Scheme, p.upstream.Host, ""
	for _, name := range []string{"Authorization", "Connection", "Accept-Encoding"} {
		out.Header.Del(name)
	}
	resp, err := p.next.RoundTrip(out)
	if err != nil {
		panic(http.ErrAbortHandler) // the client sees a broken connection, as it would without the proxy
	}
	defer resp.Body.Close()
	switch fault.Kind {
	case WriteLost, KillAfter:
		_, _ = io.Copy(io.Discard, resp.Body) // the answer is lost anyway
		if fault.Kind == KillAfter {
			p.hooks.kill(req.Replica, fault.For)
		}
		panic(http.ErrAbortHandler)
	}
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.Header().Del("Content-Length") // a fault may change it
	w.WriteHeader(resp.StatusCode)
	p.note(req, fault.Kind, resp.StatusCode)
	if req.Verb == "watch" && resp.StatusCode == http.StatusOK {
		p.stream(w, r, resp, fault)
		return
	}
	if _, err := io.Copy(w, resp.Body); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// stream passes on the events of a watch.
func (p *proxy) stream(w http.ResponseWriter, r *http.Request, resp *http.Response, fault Fault) {
	flush := http.NewResponseController(w)
	_ = flush.Flush() // the client waits for the header; a broken connection shows with the first event
	contentType := resp.Header.Get("Content-Type")
	events := newFrames(resp.Body, contentType)
	for n := 0; ; n++ {
		frame, err := events.next()
		if err != nil {
			return
		}
		if fault.Kind != NoFault && n == fault.After {
			switch fault.Kind {
			case WatchDelay:
				p.deal.happened(string(fault.Kind))
				p.deal.hold(r.Context().Done(), fault.For)
			case WatchCut:
				p.deal.happened(string(fault.Kind))
				return
			case WatchExpired:
				p.deal.happened(string(fault.Kind))
				p.expire(w, contentType)
				return
			}
		}
		if _, err := w.Write(frame); err != nil {
			return
		}
		if err := flush.Flush(); err != nil {
			return
		}
	}
}

// expire tells in a watch that its resourceVersion is too old.
func (p *proxy) expire(w http.ResponseWriter, contentType string) {
	frame, err := errorFrame(contentType, status(http.StatusGone, metav1.StatusReasonExpired, "injected: too old resource version"))
	if err != nil {
		return
	}
	_, _ = w.Write(frame) // the watch ends in any case
}

// answer gives a Status of the API's own kind, without Retry-After: client-go
// itself would repeat the request.
func (p *proxy) answer(w http.ResponseWriter, req *Request, code int, reason metav1.StatusReason, message string) {
	body, err := json.Marshal(status(code, reason, message))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	p.note(req, req.Fault, code)
	_, _ = w.Write(body) // a client that is gone needs no answer
}

func status(code int, reason metav1.StatusReason, message string) *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Message: message, Reason: reason, Code: int32(code),
	}
}

func (p *proxy) begin(req *Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, req)
	if req.Writes() {
		p.busy++
	}
}

func (p *proxy) end(req *Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	req.Ended = true
	if req.Writes() {
		p.busy--
	}
}

func (p *proxy) note(req *Request, fault Kind, code int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	req.Fault, req.Status = fault, code
}

// seen are copies of the requests that match, in the order in which they came.
func (p *proxy) seen(match func(Request) bool) []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Request
	for _, req := range p.requests {
		if match(*req) {
			out = append(out, *req)
		}
	}
	return out
}

// writing says that a write is under way.
func (p *proxy) writing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.busy > 0
}

func describe(r *http.Request) *Request {
	return &Request{
		Info:    apirequest.Read(r),
		At:      time.Now(),
		Replica: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "),
		Path:    r.URL.Path,
		Query:   r.URL.RawQuery,
	}
}

// nameInBody reads the name of the object that is to be created, and puts the
// body back.
func nameInBody(r *http.Request) string {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return ""
	}
	obj, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	if err != nil {
		return ""
	}
	object, err := meta.Accessor(obj)
	if err != nil {
		return ""
	}
	return object.GetName()
}
