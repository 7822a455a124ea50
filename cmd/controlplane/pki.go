package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

const (
	// caLifetime is long, because a new CA would invalidate every kubeconfig
	// that was handed out.
	caLifetime = 10 * 365 * 24 * time.Hour
	// leafLifetime bounds what a leaked certificate is good for.
	leafLifetime = 365 * 24 * time.Hour
	// renewBefore is how long before its end a certificate is issued anew.
	renewBefore = 30 * 24 * time.Hour
	// clockSkew back-dates certificates for a clock that is set back a little.
	clockSkew = 10 * time.Minute
)

// keyPair is a certificate with its key, in memory and on disk.
type keyPair struct {
	cert     *x509.Certificate
	key      crypto.Signer
	certFile string
	keyFile  string
}

// pki is everything that the control plane proves its identity with.
type pki struct {
	// ca signs the serving and the admin certificate.
	ca keyPair
	// serving is what the API server shows to its clients.
	serving keyPair
	// admin is the user of the kubeconfig, a member of system:masters.
	admin keyPair
	// proxyCA and proxy identify the API server to aggregated API servers. The
	// CA is another one, or else every client certificate could claim to be
	// a front proxy.
	proxyCA keyPair
	proxy   keyPair
	// serviceAccountKeyFile signs service account tokens.
	serviceAccountKeyFile string
}

// ensurePKI loads the PKI from dir and issues what is missing, damaged or near
// its end.
func ensurePKI(dir string, servingIPs []net.IP, servingNames []string, now time.Time) (*pki, error) {
	if err := privateDir(dir); err != nil {
		return nil, err
	}
	issuer := issuer{dir: dir, now: now}
	ca, err := issuer.ensureCA("ca", "client-go-workshop-ca")
	if err != nil {
		return nil, err
	}
	proxyCA, err := issuer.ensureCA("front-proxy-ca", "client-go-workshop-front-proxy-ca")
	if err != nil {
		return nil, err
	}
	serving, err := issuer.ensureLeaf("apiserver", ca, x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		IPAddresses: servingIPs,
		DNSNames:    servingNames,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	if err != nil {
		return nil, err
	}
	admin, err := issuer.ensureLeaf("admin", ca, x509.Certificate{
		Subject:     pkix.Name{CommonName: "workshop-admin", Organization: []string{"system:masters"}},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return nil, err
	}
	proxy, err := issuer.ensureLeaf("front-proxy-client", proxyCA, x509.Certificate{
		Subject:     pkix.Name{CommonName: frontProxyName},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return nil, err
	}
	_, saFile, err := issuer.ensureKey("service-account")
	if err != nil {
		return nil, err
	}
	return &pki{ca: ca, serving: serving, admin: admin, proxyCA: proxyCA, proxy: proxy, serviceAccountKeyFile: saFile}, nil
}

// frontProxyName is the only name that may speak for other users.
const frontProxyName = "front-proxy-client"

// issuer makes keys and certificates in one directory.
type issuer struct {
	dir string
	now time.Time
}

// ensureCA loads or makes a self-signed certificate authority.
func (i issuer) ensureCA(name, commonName string) (keyPair, error) {
	pair, err := i.load(name)
	if err == nil && i.fresh(pair.cert) {
		return pair, nil
	}
	return i.issue(name, nil, x509.Certificate{
		Subject:               pkix.Name{CommonName: commonName},
		NotAfter:              i.now.Add(caLifetime),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
		IsCA:                  true,
	})
}

// ensureLeaf loads or makes a certificate like template, signed by ca. One that
// another CA signed or that names other hosts is replaced.
func (i issuer) ensureLeaf(name string, ca keyPair, template x509.Certificate) (keyPair, error) {
	pair, err := i.load(name)
	if err == nil && i.fresh(pair.cert) && pair.cert.CheckSignatureFrom(ca.cert) == nil && covers(pair.cert, template) {
		return pair, nil
	}
	template.NotAfter = i.now.Add(leafLifetime)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	return i.issue(name, &ca, template)
}

// fresh tells whether a certificate can be used now and for a while.
func (i issuer) fresh(c *x509.Certificate) bool {
	return !i.now.Before(c.NotBefore) && i.now.Add(renewBefore).Before(c.NotAfter)
}

// covers tells whether c names the subject and every host of template.
func covers(c *x509.Certificate, template x509.Certificate) bool {
	if c.Subject.String() != template.Subject.String() {
		return false
	}
	for _, ip := range template.IPAddresses {
		if c.VerifyHostname(ip.String()) != nil {
			return false
		}
	}
	for _, name := range template.DNSNames {
		if c.VerifyHostname(name) != nil {
			return false
		}
	}
	return true
}

// issue writes a certificate for a new or existing key; without a parent it is
// self-signed.
func (i issuer) issue(name string, parent *keyPair, template x509.Certificate) (keyPair, error) {
	key, keyFile, err := i.ensureKey(name)
	if err != nil {
		return keyPair{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return keyPair{}, fmt.Errorf("draw serial number of certificate %s: %w", name, err)
	}
	template.SerialNumber = serial.Add(serial, big.NewInt(1))
	template.NotBefore = i.now.Add(-clockSkew)
	signerCert, signerKey := &template, key
	if parent != nil {
		signerCert, signerKey = parent.cert, parent.key
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, signerCert, key.Public(), signerKey)
	if err != nil {
		return keyPair{}, fmt.Errorf("sign certificate %s: %w", name, err)
	}
	certFile := filepath.Join(i.dir, name+".crt")
	block := pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: der})
	if err := writeFileAtomic(certFile, block); err != nil {
		return keyPair{}, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return keyPair{}, fmt.Errorf("read back certificate %s: %w", name, err)
	}
	return keyPair{cert: parsed, key: key, certFile: certFile, keyFile: keyFile}, nil
}

// load reads a certificate and its key and checks that they belong together.
func (i issuer) load(name string) (keyPair, error) {
	pair := keyPair{certFile: filepath.Join(i.dir, name+".crt"), keyFile: filepath.Join(i.dir, name+".key")}
	certs, err := cert.CertsFromFile(pair.certFile)
	if err != nil {
		return pair, fmt.Errorf("load certificate %s: %w", name, err)
	}
	pair.cert = certs[0]
	pair.key, err = loadKey(pair.keyFile)
	if err != nil {
		return pair, err
	}
	public, ok := pair.cert.PublicKey.(*ecdsa.PublicKey)
	if !ok || !public.Equal(pair.key.Public()) {
		return pair, fmt.Errorf("key %s does not belong to its certificate", pair.keyFile)
	}
	return pair, nil
}

// ensureKey loads or makes an ECDSA key. An existing key is kept even when its
// certificate is renewed: tokens signed with it stay valid.
func (i issuer) ensureKey(name string) (crypto.Signer, string, error) {
	path := filepath.Join(i.dir, name+".key")
	key, err := loadKey(path)
	if err == nil {
		return key, path, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	fresh, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, "", fmt.Errorf("make key %s: %w", name, err)
	}
	data, err := keyutil.MarshalPrivateKeyToPEM(fresh)
	if err != nil {
		return nil, "", fmt.Errorf("encode key %s: %w", name, err)
	}
	if err := writeFileAtomic(path, data); err != nil {
		return nil, "", err
	}
	return fresh, path, nil
}

// loadKey reads a private key in PEM form.
func loadKey(path string) (crypto.Signer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	parsed, err := keyutil.ParsePrivateKeyPEM(data)
	if err != nil {
		return nil, fmt.Errorf("parse key %s: %w", path, err)
	}
	signer, ok := parsed.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("key %s cannot sign", path)
	}
	return signer, nil
}
