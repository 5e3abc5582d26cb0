package exporter

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/net/netutil"
)

// Whoever scrapes may not keep what they hold for longer, nor hold more.
const (
	mostConnections = 16
	mostScrapes     = 4 // at once
	mostOfHead      = 16 << 10
	toAsk           = 3 * time.Second
	toRead          = 10 * time.Second
)

// Server is an exporter that answers.
type Server struct {
	*Exporter
	listener net.Listener
	server   http.Server
}

// Listen takes the port. Who does not name a host gets this machine alone.
func Listen(ctx context.Context, address, version string) (*Server, error) {
	full, err := complete(address)
	if err != nil {
		return nil, fmt.Errorf("--listen is %q: %w", address, err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", full)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w", full, whyNot(err))
	}
	s := &Server{Exporter: New(version), listener: listener}
	registry, err := s.registry()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("serve metrics: %w", err), listener.Close())
	}
	paths := http.NewServeMux()
	paths.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: mostScrapes, EnableOpenMetrics: true}))
	paths.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "<!doctype html><html lang=en><title>realiops</title><p>realiops %s: <a href=metrics>metrics</a></p></html>\n", html.EscapeString(version))
	})
	s.server = http.Server{Handler: paths, ReadTimeout: toAsk, WriteTimeout: toRead, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: mostOfHead,
		ErrorLog: log.New(io.Discard, "", 0)} // what strangers send is nothing to tell
	go func() { _ = s.server.Serve(netutil.LimitListener(listener, mostConnections)) }() // until Close, which is the error
	return s, nil
}

// URL is where the metrics are.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/metrics" }

// Alone tells whether only this machine reaches it.
func (s *Server) Alone() bool {
	at, is := s.listener.Addr().(*net.TCPAddr)
	return is && at.IP.IsLoopback()
}

// Close ends it, in the middle of an answer if need be.
func (s *Server) Close() { _ = s.server.Close() }

// complete makes an address of what was typed: PORT, :PORT or HOST:PORT.
func complete(address string) (string, error) {
	if !strings.Contains(address, ":") {
		address = ":" + address
	}
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", errors.New("it takes a port of this machine, or HOST:PORT, as in 127.0.0.1:9650 and [::1]:9650")
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// whyNot says what to do about an address that cannot be listened on.
func whyNot(err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return errors.New("another program listens there: name another port, or 0 for any that is free")
	case errors.Is(err, syscall.EACCES):
		return errors.New("ports below 1024 are for root: name a higher one")
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return errors.New("this machine has no such address")
	}
	if unknown, is := errors.AsType[*net.DNSError](err); is {
		return unknown
	}
	if op, is := errors.AsType[*net.OpError](err); is {
		return op.Err
	}
	return err
}
