package exporter

import (
	"bytes"
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
)

// Whoever scrapes may not keep what they hold for longer, nor hold more.
const (
	mostConnections = 64
	mostAtWork      = 4 // on answers at once
	mostOfHead      = 16 << 10
	toAsk           = 3 * time.Second
	toRead          = 10 * time.Second
	untilNext       = 2 * time.Minute
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
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
	paths.Handle("GET /metrics", &wholly{metrics, make(chan struct{}, mostAtWork)})
	paths.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		const page = "<!doctype html><html lang=en><title>realiops</title><p>realiops %s: <a " +
			"href=metrics>metrics</a></p></html>\n"
		fmt.Fprintf(w, page, html.EscapeString(version))
	})
	handler := http.Handler(paths)
	if s.Alone() {
		named, _, _ := net.SplitHostPort(full) // it was listened on
		handler = forThisMachine(named, handler)
	}
	door := newDoor(listener, mostConnections)
	s.server = http.Server{Handler: door.answering(asItIs(handler)), ConnContext: door.remember, ConnState: door.follow,
		ReadTimeout: toAsk, WriteTimeout: toRead, IdleTimeout: untilNext, MaxHeaderBytes: mostOfHead,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     log.New(io.Discard, "", 0)} // what others send is nothing to tell
	go func() { _ = s.server.Serve(door) }() // until Close, which is the error
	return s, nil
}

// asItIs keeps browsers from taking an answer for what it does not say that it is.
func asItIs(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// wholly makes a few answers at once, each whole before any of it is sent: slow readers keep no others waiting.
type wholly struct {
	makes http.Handler
	room  chan struct{}
}

func (m *wholly) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case m.room <- struct{}{}:
	case <-r.Context().Done():
		return
	}
	whole := answer{ResponseWriter: w, status: http.StatusOK}
	func() {
		defer func() { <-m.room }()
		m.makes.ServeHTTP(&whole, r)
	}()
	w.Header().Set("Content-Length", strconv.Itoa(whole.body.Len()))
	w.WriteHeader(whole.status)
	_, _ = w.Write(whole.body.Bytes()) // one who leaves needs nothing
}

// answer is one that is kept until it is whole.
type answer struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }

// URL returns the address of the metrics.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/metrics" }

// Alone reports whether only this machine reaches it.
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
		return "", errors.New("it takes a port of this machine, or HOST:PORT, such as 127.0.0.1:9650 or [::1]:9650")
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
		return errors.New("another program listens there: name another port, or 0 for any free one")
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
