//go:build linux

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"sync/atomic"
	"time"
)

// encrypting is a proxy that speaks TLS for a server, until it is switched off.
type encrypting struct {
	listener net.Listener
	target   string
	config   *tls.Config
	off      atomic.Bool
}

// requestTLS is the SSLRequest message: a length of eight, and a number.
const requestTLS = "\x00\x00\x00\x08\x04\xd2\x16\x2f"

func newEncrypting(target string) (*encrypting, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	own := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, own, own, key.Public(), key)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	certificate := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	e := &encrypting{listener: l, target: target, config: &tls.Config{Certificates: []tls.Certificate{certificate},
		MinVersion: tls.VersionTLS12}}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go e.serve(client)
		}
	}()
	return e, nil
}

func (e *encrypting) address() string { return e.listener.Addr().String() }

func (e *encrypting) close() error { return e.listener.Close() }

func (e *encrypting) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", e.target)
	if err != nil {
		return
	}
	defer server.Close()
	first := make([]byte, len(requestTLS))
	if _, err := io.ReadFull(client, first); err != nil {
		return
	}
	switch {
	case string(first) != requestTLS: // such as a request to cancel
		_, err = server.Write(first)
	case e.off.Load():
		_, _ = client.Write([]byte("N"))
		return
	default:
		_, err = client.Write([]byte("S"))
		client = tls.Server(client, e.config)
	}
	if err != nil {
		return
	}
	go func() { _, _ = io.Copy(server, client); server.Close() }()
	_, _ = io.Copy(client, server)
}
