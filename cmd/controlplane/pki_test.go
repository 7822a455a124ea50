package main

import (
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func testPKI(t *testing.T, dir string, now time.Time) *pki {
	t.Helper()
	p, err := ensurePKI(dir, servingIPs(), servingNames(), now)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPKIIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	first := testPKI(t, dir, time.Now())
	second := testPKI(t, dir, time.Now().Add(time.Hour))
	for name, pair := range map[string][2]keyPair{
		"ca":       {first.ca, second.ca},
		"serving":  {first.serving, second.serving},
		"admin":    {first.admin, second.admin},
		"proxy CA": {first.proxyCA, second.proxyCA},
		"proxy":    {first.proxy, second.proxy},
	} {
		if !pair[0].cert.Equal(pair[1].cert) {
			t.Errorf("certificate %s changed although it is fresh", name)
		}
	}
}

func TestPKIChains(t *testing.T) {
	p := testPKI(t, filepath.Join(t.TempDir(), "pki"), time.Now())
	verify := func(name string, leaf, ca keyPair, usage x509.ExtKeyUsage) {
		t.Helper()
		roots := x509.NewCertPool()
		roots.AddCert(ca.cert)
		if _, err := leaf.cert.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{usage}}); err != nil {
			t.Errorf("%s does not verify: %v", name, err)
		}
	}
	verify("serving", p.serving, p.ca, x509.ExtKeyUsageServerAuth)
	verify("admin", p.admin, p.ca, x509.ExtKeyUsageClientAuth)
	verify("proxy", p.proxy, p.proxyCA, x509.ExtKeyUsageClientAuth)
	if err := p.admin.cert.CheckSignatureFrom(p.proxyCA.cert); err == nil {
		t.Error("the admin certificate is signed by the proxy CA: its holder could impersonate anybody")
	}
	if got := p.admin.cert.Subject.Organization; len(got) != 1 || got[0] != "system:masters" {
		t.Errorf("admin is in %v, want [system:masters]", got)
	}
	if err := p.serving.cert.VerifyHostname(loopback); err != nil {
		t.Error(err)
	}
}

func TestPKIRenewal(t *testing.T) {
	now := time.Now()
	dir := filepath.Join(t.TempDir(), "pki")
	first := testPKI(t, dir, now)
	later := testPKI(t, dir, now.Add(leafLifetime-renewBefore/2))
	if !first.ca.cert.Equal(later.ca.cert) {
		t.Error("the CA was replaced although it is valid for years")
	}
	if first.admin.cert.Equal(later.admin.cert) || first.serving.cert.Equal(later.serving.cert) {
		t.Error("a certificate near its end was not renewed")
	}
	last := testPKI(t, dir, now.Add(caLifetime))
	if first.ca.cert.Equal(last.ca.cert) {
		t.Error("the CA near its end was not renewed")
	}
	if err := last.admin.cert.CheckSignatureFrom(last.ca.cert); err != nil {
		t.Errorf("the admin certificate was not issued anew under the new CA: %v", err)
	}
}

func TestPKIReplacesWhatDoesNotFit(t *testing.T) {
	now := time.Now()
	dir := filepath.Join(t.TempDir(), "pki")
	first := testPKI(t, dir, now)
	if err := os.WriteFile(first.admin.certFile, []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := ensurePKI(dir, append(servingIPs(), net.ParseIP("127.0.0.2")), servingNames(), now)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.serving.cert.VerifyHostname("127.0.0.2"); err != nil {
		t.Errorf("the serving certificate does not name the new address: %v", err)
	}
	if err := second.admin.cert.CheckSignatureFrom(first.ca.cert); err != nil {
		t.Errorf("the damaged admin certificate was not replaced: %v", err)
	}
}

func TestPKIRefusesDamagedKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	p := testPKI(t, dir, time.Now())
	if err := os.WriteFile(p.serviceAccountKeyFile, []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ensurePKI(dir, servingIPs(), servingNames(), time.Now()); err == nil {
		t.Error("a damaged service account key was accepted or silently replaced")
	}
}

func TestPKIIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	testPKI(t, dir, time.Now())
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o, want 600", entry.Name(), info.Mode().Perm())
		}
	}
}
