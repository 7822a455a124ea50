package check

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// ClientsetFor is a client of the check's own making for a step that wants one:
// a step is judged whether or not the step that makes it is written.
func (s *S) ClientsetFor(cfg *rest.Config) kubernetes.Interface {
	client, err := kubernetes.NewForConfig(cfg)
	s.Setup(err, "build a clientset")
	return client
}

// RequireSameConfig wants the caller's config to be as it was when before was
// copied from it. Functions cannot be compared, and are left out.
func (s *S) RequireSameConfig(before, cfg *rest.Config) {
	was, is := reflect.ValueOf(*before), reflect.ValueOf(*cfg)
	for i := range was.NumField() {
		if was.Field(i).Kind() == reflect.Func {
			continue
		}
		a, b := was.Field(i).Interface(), is.Field(i).Interface()
		s.Requiref(reflect.DeepEqual(a, b), "rest.Config is shared: work on rest.CopyConfig(cfg)",
			"the caller's config was changed: %s was %#.40v and is %#.40v", was.Type().Field(i).Name, a, b)
	}
}

// JudgeConstructor gives the constructor under judgement a config whose server
// must not be trusted, and one that cannot be used. ask has the client send a
// request. what is said behind the constructor's name, and may be empty.
func JudgeConstructor[C any](s *S, cfg *rest.Config, what string, build func(*rest.Config) (C, error), ask func(context.Context, C) error) {
	other := httptest.NewTLSServer(http.NotFoundHandler())
	defer other.Close()
	strange := rest.CopyConfig(cfg)
	strange.CAFile = ""
	strange.CAData = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: other.Certificate().Raw})
	err := s.Call(func(ctx context.Context) error {
		client, err := build(strange)
		if err != nil {
			return err
		}
		return ask(ctx, client)
	})
	s.Requiref(err != nil, "the server's certificate is not verified: keep the TLSClientConfig as it is",
		"with the certificate authority of another server in the caller's config, the client of %s%s got an answer", s.name, what)

	bad := rest.CopyConfig(cfg)
	bad.CAData, bad.CAFile = nil, filepath.Join(s.t.TempDir(), "no-such-ca.crt")
	_, err = Call(s, func(context.Context) (C, error) { return build(bad) })
	s.Requiref(err != nil, "the error of the constructor is dropped: return it",
		"for a config whose CA file does not exist, %s%s returned no error", s.name, what)
}
