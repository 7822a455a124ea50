package cluster

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// ErrNoCluster is returned when no cluster was ever set up here.
var ErrNoCluster = errors.New("there is no workshop cluster yet; run: go tool workshop up")

// RefusedError says that a server is not the workshop's cluster, so that
// nothing but one GET was sent to it.
type RefusedError struct {
	// Server is the server's URL.
	Server string
	// Context is the kubeconfig context that leads there, "" if unknown.
	Context string
	// Reason says what was found instead of the marker.
	Reason string
	// Kubeconfig is the value of KUBECONFIG at that time, "" if not set.
	Kubeconfig string
}

func (e *RefusedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "refused: the cluster at %s%s does not bear the workshop's marker (%s); nothing was changed there\n",
		e.Server, inContext(e.Context), e.Reason)
	if e.Kubeconfig != "" {
		fmt.Fprintf(&b, "  KUBECONFIG is %s; to use the workshop's own cluster run: unset KUBECONFIG\n", e.Kubeconfig)
	}
	b.WriteString("  start the workshop's cluster (or put its marker back): go tool workshop up\n")
	b.WriteString("  or name its kubeconfig: -kubeconfig .workshop/kubeconfig")
	return b.String()
}

// UnreachableError says that a server does not answer, or not sensibly.
type UnreachableError struct {
	// Server is the server's URL.
	Server string
	// Context is the kubeconfig context that leads there, "" if unknown.
	Context string
	// Kubeconfig is the value of KUBECONFIG at that time, "" if not set.
	Kubeconfig string
	// Err is what came back instead of an answer.
	Err error
}

func (e *UnreachableError) Error() string {
	text := fmt.Sprintf("the cluster does not answer at %s%s; run: go tool workshop up", e.Server, inContext(e.Context))
	if e.Kubeconfig != "" {
		text += fmt.Sprintf("\n  KUBECONFIG is %s; to use the workshop's own cluster run: unset KUBECONFIG", e.Kubeconfig)
	}
	return fmt.Sprintf("%s\n  reason: %v", text, e.Err)
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// StrayRequestError says that a program tried to change something on another
// server than the one that was verified. The request was not sent.
type StrayRequestError struct {
	// Method and URL are those of the request.
	Method, URL string
	// Verified is the host and port of the workshop's cluster.
	Verified string
}

func (e *StrayRequestError) Error() string {
	return fmt.Sprintf("refused: %s %s was not sent; the workshop's cluster is at %s, and only that one may be changed",
		e.Method, e.URL, e.Verified)
}

// NoContextError says that the kubeconfig files in use hold nothing to connect
// to. It matches [ErrNoCluster].
type NoContextError struct {
	// Kubeconfig is the value of KUBECONFIG.
	Kubeconfig string
	// Err is clientcmd's reason.
	Err error
}

func (e *NoContextError) Error() string {
	return fmt.Sprintf("KUBECONFIG is %s, which holds no cluster to use (%v); to use the workshop's own cluster run: unset KUBECONFIG",
		e.Kubeconfig, e.Err)
}

// Unwrap returns [ErrNoCluster] and the reason.
func (e *NoContextError) Unwrap() []error { return []error{ErrNoCluster, e.Err} }

// IsNoCluster reports whether err means that there is no usable workshop
// cluster: none was set up, it does not answer, or the one at hand is not the
// workshop's.
func IsNoCluster(err error) bool {
	var refused *RefusedError
	var unreachable *UnreachableError
	return errors.Is(err, ErrNoCluster) || errors.As(err, &refused) || errors.As(err, &unreachable)
}

func inContext(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (context %q)", name)
}

func kubeconfigEnv() string { return os.Getenv(KubeconfigEnv) }
