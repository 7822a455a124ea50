package main

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"
)

func TestWriteFileAtomic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "file")
	for _, want := range []string{"first", "second"} {
		if err := writeFileAtomic(path, []byte(want)); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != want {
			t.Errorf("read %q, want %q", got, want)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("temporary files were left behind: %v", entries)
	}
}

func TestPrivateDirTakesRightsAway(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := privateDir(dir); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("directory has mode %o, want 700", info.Mode().Perm())
	}
}

func TestStatusFile(t *testing.T) {
	dir := t.TempDir()
	file := newStatusFile(dir)
	read := func() status {
		t.Helper()
		var got status
		data, err := os.ReadFile(filepath.Join(dir, "status.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if err := file.set(phaseStarting, nil); err != nil {
		t.Fatal(err)
	}
	if got := read(); got.Phase != phaseStarting || got.PID != os.Getpid() || got.StartedAt.IsZero() || got.URL != "" {
		t.Errorf("unexpected first status %+v", got)
	}
	file.setURL("https://127.0.0.1:1")
	if err := file.set(phaseFailed, errors.New("no luck")); err != nil {
		t.Fatal(err)
	}
	if got := read(); got.Phase != phaseFailed || got.Error != "no luck" || got.URL != "https://127.0.0.1:1" {
		t.Errorf("unexpected failed status %+v", got)
	}
	if err := file.set(phaseReady, nil); err != nil {
		t.Fatal(err)
	}
	if got := read(); got.Error != "" {
		t.Errorf("a ready status has error %q", got.Error)
	}
}

func TestListenKeepsPort(t *testing.T) {
	dir := t.TempDir()
	port := func(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

	first, err := listen(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := port(first)
	first.Close()

	second, err := listen(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if port(second) != want {
		t.Errorf("got port %d after a restart, want %d", port(second), want)
	}

	// second still holds the port, as a foreign process would.
	third, err := listen(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	second.Close()
	if recorded, err := readPort(filepath.Join(dir, "port")); err != nil || recorded != port(third) || recorded == want {
		t.Errorf("recorded port %d (%v), want the new port %d", recorded, err, port(third))
	}
	if _, err := listen(dir, port(third)); err == nil {
		t.Error("a taken port that was asked for was replaced by another one")
	}
}

func TestListenIgnoresDamagedPort(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "port"), []byte("99999999"), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := listen(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
}

func TestKubeconfigStandsAlone(t *testing.T) {
	dir := t.TempDir()
	p, err := ensurePKI(filepath.Join(dir, "pki"), servingIPs(), servingNames(), newStatusFile(dir).now.StartedAt)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "out", "kubeconfig")
	if err := writeKubeconfig(path, "https://127.0.0.1:1", p); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "pki")); err != nil {
		t.Fatal(err)
	}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(&clientcmd.ClientConfigLoadingRules{ExplicitPath: path}, nil)
	config, err := loader.ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	if len(config.CAData) == 0 || len(config.CertData) == 0 || len(config.KeyData) == 0 {
		t.Error("the kubeconfig refers to files instead of holding the credentials")
	}
	if namespace, _, err := loader.Namespace(); err != nil || namespace != "workshop" {
		t.Errorf("default namespace is %q (%v), want workshop", namespace, err)
	}
	raw, err := loader.RawConfig()
	if err != nil {
		t.Fatal(err)
	}
	if raw.CurrentContext != "client-go-workshop" {
		t.Errorf("current context is %q", raw.CurrentContext)
	}
}

func TestAuditPolicyKeepsUsers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if err := writeAuditPolicy(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var policy auditv1.Policy
	if err := yaml.UnmarshalStrict(data, &policy); err != nil {
		t.Fatal(err)
	}
	last := policy.Rules[len(policy.Rules)-1]
	if last.Level != auditv1.LevelRequest || len(last.Users) != 0 || len(last.Verbs) != 0 || len(last.Resources) != 0 {
		t.Errorf("the last rule does not keep everything that is left: %+v", last)
	}
	for _, rule := range policy.Rules[1 : len(policy.Rules)-1] {
		if len(rule.Users) == 0 {
			t.Errorf("a rule takes requests of users out: %+v", rule)
		}
	}
}
