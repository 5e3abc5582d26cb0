package exporter

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/analyze/openmetrics"
)

// Limits on how long scrapers hold a connection, and on how many.
const (
	mostConnections = 64
	mostAtWork      = 4 // concurrent answers
	mostOfHead      = 16 << 10
	toAsk           = 3 * time.Second
	toRead          = 10 * time.Second
	untilNext       = 2 * time.Minute
)

// Server is a listening exporter.
type Server struct {
	*Exporter
	listener net.Listener
	server   http.Server
}

// Listen opens the port. Without a host it listens on this machine alone.
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
	paths := http.NewServeMux()
	paths.Handle("GET /metrics", &wholly{s.Exporter, make(chan struct{}, mostAtWork)})
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
	door := &door{Listener: listener, most: mostConnections, inside: map[*held]struct{}{}}
	s.server = http.Server{Handler: door.answering(asItIs(handler)), ConnContext: door.remember, ConnState: door.follow,
		ReadTimeout: toAsk, WriteTimeout: toRead, IdleTimeout: untilNext, MaxHeaderBytes: mostOfHead,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     log.New(io.Discard, "", 0)} // clients' errors are not ours to report
	go func() { _ = s.server.Serve(door) }() // until Close, whose error it returns
	return s, nil
}

// asItIs keeps browsers from guessing the content type.
func asItIs(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// wholly makes a few answers at a time, each complete before it is sent, so that slow readers delay no others.
type wholly struct {
	of   *Exporter
	room chan struct{}
}

func (m *wholly) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case m.room <- struct{}{}:
	case <-r.Context().Done():
		return
	}
	var whole bytes.Buffer
	err := func() error {
		defer func() { <-m.room }()
		return m.of.answer(&whole, w.Header(), r.Header)
	}()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(whole.Len()))
	_, _ = w.Write(whole.Bytes()) // the client may have left
}

// answer writes the metrics in the requested format, compressed if the scraper accepts it.
func (e *Exporter) answer(to io.Writer, says, asked http.Header) error {
	write, format := openmetrics.WriteText, "text/plain; version=0.0.4; charset=utf-8"
	if strings.Contains(asked.Get("Accept"), "application/openmetrics-text") {
		write, format = openmetrics.Write, "application/openmetrics-text; version=1.0.0; charset=utf-8"
	}
	says.Set("Vary", "Accept, Accept-Encoding")
	if !strings.Contains(asked.Get("Accept-Encoding"), "gzip") {
		says.Set("Content-Type", format)
		return write(to, e.metrics()...)
	}
	packed := gzip.NewWriter(to)
	if err := write(packed, e.metrics()...); err != nil {
		return err
	}
	says.Set("Content-Type", format)
	says.Set("Content-Encoding", "gzip")
	return packed.Close()
}

// URL returns the address of the metrics.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/metrics" }

// Alone reports whether it is reachable only from this machine.
func (s *Server) Alone() bool {
	at, ok := s.listener.Addr().(*net.TCPAddr)
	return ok && at.IP.IsLoopback()
}

// Close stops the server, even during an answer.
func (s *Server) Close() { _ = s.server.Close() }

// complete makes an address of PORT, :PORT or HOST:PORT.
func complete(address string) (string, error) {
	if !strings.Contains(address, ":") {
		address = ":" + address
	}
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", errors.New("want a port of this machine, or HOST:PORT, such as 127.0.0.1:9650 or [::1]:9650")
	}
	return net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port), nil
}

// whyNot adds advice to the error of listening on an address.
func whyNot(err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return errors.New("the port is in use; choose another, or 0 for any free one")
	case errors.Is(err, syscall.EACCES):
		return errors.New("ports below 1024 need root; choose a higher one")
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return errors.New("this machine has no such address")
	}
	if unknown, ok := errors.AsType[*net.DNSError](err); ok {
		return unknown
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err
	}
	return err
}

// forThisMachine refuses requests for another host, against DNS rebinding: a foreign page can make a browser resolve
// its own name to our address and read our answer. Such a request has their host; one without a host, as in
// HTTP/1.0, comes from no browser.
func forThisMachine(named string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "" && !namesThisMachine(r.Host, named) {
			const says = "metrics are served only to this machine; use localhost, 127.0.0.1 or [::1]"
			http.Error(w, says, http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// namesThisMachine reports whether a Host header leads to this machine whatever DNS says: a loopback address,
// localhost, or the host to listen on.
func namesThisMachine(header, named string) bool {
	host, port := header, ""
	if _, err := netip.ParseAddr(header); err != nil {
		if h, p, err := net.SplitHostPort(header); err == nil {
			host, port = h, p
		} else if inner, ok := strings.CutPrefix(header, "["); ok {
			if host, ok = strings.CutSuffix(inner, "]"); !ok {
				return false
			}
		}
	}
	if _, err := strconv.ParseUint(port, 10, 16); port != "" && err != nil {
		return false
	}
	host = strings.TrimSuffix(host, ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return strings.EqualFold(host, "localhost") || named != "" &&
		strings.EqualFold(host, strings.TrimSuffix(named, "."))
}
