package servertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority returns a certificate authority's file, and a function that signs certificates.
func Authority(t testing.TB) (file string, sign func(host string) tls.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	own := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, own, own, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "root.crt")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644); err != nil {
		t.Fatal(err)
	}
	return file, func(host string) tls.Certificate {
		t.Helper()
		c := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{host}, NotBefore: own.NotBefore,
			NotAfter: own.NotAfter}
		der, err := x509.CreateCertificate(rand.Reader, c, own, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	}
}

// Encrypting starts a proxy that speaks TLS in front of a server, with that certificate, if the client asks for it.
func Encrypting(t testing.TB, server string, certificate tls.Certificate) (port int) {
	t.Helper()
	return Listen(t, func(conn net.Conn) {
		relay(conn, server, &tls.Config{Certificates: []tls.Certificate{certificate}})
	})
}

// relay answers a TLS request, eight bytes with a code in the last four, and forwards everything else.
func relay(client net.Conn, server string, config *tls.Config) {
	defer client.Close()
	behind, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer behind.Close()
	first := make([]byte, 8)
	if _, err := io.ReadFull(client, first); err != nil {
		return
	}
	if string(first[4:]) == "\x04\xd2\x16\x2f" {
		if _, err := client.Write([]byte("S")); err != nil {
			return
		}
		client = tls.Server(client, config)
	} else if _, err := behind.Write(first); err != nil {
		return
	}
	go func() { _, _ = io.Copy(behind, client); behind.Close() }()
	_, _ = io.Copy(client, behind)
}
