package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// hostName is the name of the certificate with this number.
func hostName(number int) string {
	return fmt.Sprintf("host-%d.names.test", number)
}

// certificates writes a CA to ca.crt, and a number of certificates to the folder "certificates", each with its chain and
// its key: host-0.names.test.pem and so on.
func certificates(o options) error {
	folder := filepath.Join(o.output, "certificates")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	root, rootKey, err := issue("root", nil, nil, nil, newKey(false))
	if err != nil {
		return err
	}
	if err := writePem(filepath.Join(o.output, "ca.crt"), nil, root.Raw); err != nil {
		return err
	}
	issuer, issuerKey, err := issue("issuer", nil, root, rootKey, newKey(false))
	if err != nil {
		return err
	}
	for i := 0; i < o.names; i++ {
		name := hostName(i)
		leaf, key, err := issue(name, []string{name}, issuer, issuerKey, newKey(o.group == "rsa"))
		if err != nil {
			return err
		}
		if err := writePem(filepath.Join(folder, name+".pem"), key, leaf.Raw, issuer.Raw); err != nil {
			return err
		}
	}
	return nil
}

func newKey(isRsa bool) crypto.Signer {
	var key crypto.Signer
	var err error
	if isRsa {
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	} else {
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	if err != nil {
		panic(err)
	}
	return key
}

// issue makes a certificate: of a CA if it has no names, and signed by itself without an issuer.
func issue(subject string, names []string, issuer *x509.Certificate, issuerKey, key crypto.Signer) (*x509.Certificate,
	crypto.Signer, error) {
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: subject}, DNSNames: names,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(48 * time.Hour), BasicConstraintsValid: true,
		IsCA: names == nil, KeyUsage: x509.KeyUsageDigitalSignature}
	if names == nil {
		template.KeyUsage = x509.KeyUsageCertSign
	} else {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	if issuer == nil {
		issuer, issuerKey = template, key
	}
	encoded, err := x509.CreateCertificate(rand.Reader, template, issuer, key.Public(), issuerKey)
	if err != nil {
		return nil, nil, err
	}
	certificate, err := x509.ParseCertificate(encoded)
	return certificate, key, err
}

func writePem(file string, key crypto.Signer, chain ...[]byte) error {
	var content []byte
	for _, encoded := range chain {
		content = append(content, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: encoded})...)
	}
	if key != nil {
		encoded, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			return err
		}
		content = append(content, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})...)
	}
	return os.WriteFile(file, content, 0o600)
}
