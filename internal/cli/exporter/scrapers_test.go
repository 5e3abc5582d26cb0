package exporter_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/cli/exporter"
	"github.com/realiops/realiops/internal/runfile"
)

func addressOf(s *exporter.Server) string {
	return strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://"), "/metrics")
}

// misbehave opens connections and calls do on each; they are closed at the end of the test.
func misbehave(t *testing.T, address string, n int, do func(net.Conn)) {
	t.Helper()
	for range n {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		go do(c)
	}
}

// drip sends a byte of a request each second.
func drip(c net.Conn) {
	for {
		if _, err := c.Write([]byte("G")); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// devour sends requests over and over, and reads nothing.
func devour(c net.Conn) {
	_ = c.(*net.TCPConn).SetReadBuffer(1 << 10)
	_, _ = c.Write([]byte(strings.Repeat("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 5000)))
}

// TestAnHonestScraperGetsIn: even beside hundreds that send nothing, send slowly, or read nothing.
// None of them delays the recording.
func TestAnHonestScraperGetsIn(t *testing.T) {
	s := listen(t)
	s.Record(runfile.Reading{At: time.Now(), Probe: "block", Values: map[string]float64{"block/writes": 7}})
	misbehave(t, addressOf(s), 100, devour)
	misbehave(t, addressOf(s), 100, drip)
	misbehave(t, addressOf(s), 500, func(net.Conn) {})
	var longest atomic.Int64
	stop := make(chan struct{})
	recorded := make(chan struct{})
	go func() {
		defer close(recorded)
		for {
			select {
			case <-stop:
				return
			default:
			}
			from := time.Now()
			s.Record(runfile.Reading{At: from, Probe: "block", Values: map[string]float64{"block/writes": 8}})
			longest.Store(max(longest.Load(), int64(time.Since(from))))
			time.Sleep(time.Millisecond)
		}
	}()
	for range 5 {
		from := time.Now()
		client := http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
		answer, err := client.Get(s.URL())
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || !strings.Contains(string(text), "realiops_block_writes_total 8") {
			t.Errorf("%v: %.200s", err, text)
		}
		if took := time.Since(from); took > 10*time.Second {
			t.Errorf("a scrape took %v", took)
		}
	}
	close(stop)
	<-recorded
	if took := time.Duration(longest.Load()); took > 2*time.Second {
		t.Errorf("a record waited for %v", took)
	}
}

// TestForeignHost: requests that a foreign page sends under its own name are refused.
func TestForeignHost(t *testing.T) {
	const ok, refused, bad = http.StatusOK, http.StatusMisdirectedRequest, http.StatusBadRequest
	s := listen(t)
	for request, want := range map[string]int{
		"GET /metrics HTTP/1.1\r\nHost: localhost":             ok,
		"GET /metrics HTTP/1.1\r\nHost: LOCALHOST.:1":          ok,
		"HEAD /metrics HTTP/1.1\r\nHost: 127.0.0.1:9650":       ok,
		"GET / HTTP/1.1\r\nHost: 127.8.9.1":                    ok,
		"GET /metrics HTTP/1.1\r\nHost: [::1]:9650":            ok,
		"GET /metrics HTTP/1.1\r\nHost: [::1]":                 ok,
		"GET /metrics HTTP/1.1\r\nHost: [::ffff:127.0.0.1]:80": ok,
		"GET /metrics HTTP/1.0":                                ok,
		// the requested host, by RFC 9112
		"GET http://localhost/metrics HTTP/1.1\r\nHost: evil.example":          ok,
		"GET http://evil.example/metrics HTTP/1.1\r\nHost: localhost":          refused,
		"GET /metrics HTTP/1.1\r\nHost: evil.example":                          refused,
		"GET / HTTP/1.1\r\nHost: evil.example":                                 refused,
		"GET /elsewhere HTTP/1.1\r\nHost: evil.example":                        refused,
		"GET /metrics HTTP/1.0\r\nHost: evil.example":                          refused,
		"GET /metrics HTTP/1.1\r\nHost: localhost.evil.example":                refused,
		"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1.evil.example:9650":           refused,
		"GET /metrics HTTP/1.1\r\nHost: localhost:80:90":                       refused,
		"GET /metrics HTTP/1.1\r\nHost: localhost:http":                        refused,
		"GET /metrics HTTP/1.1\r\nHost: [::1":                                  refused,
		"GET /metrics HTTP/1.1\r\nHost: [::2]":                                 refused,
		"GET /metrics HTTP/1.1\r\nHost: 0.0.0.0:9650":                          refused,
		"GET /metrics HTTP/1.1\r\nHost: 10.0.0.1":                              refused,
		"GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: evil.example":       bad,
		"GET /metrics HTTP/1.1":                                                bad,
		"POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0":       http.StatusMethodNotAllowed,
		"OPTIONS /metrics HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a.b":   http.StatusMethodNotAllowed,
		"GET /metrics/ HTTP/1.1\r\nHost: localhost":                            http.StatusNotFound,
		"GET /metrics HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a.example": ok,
	} {
		c, err := net.Dial("tcp", addressOf(s))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "%s\r\nConnection: close\r\n\r\n", request)
		method, _, _ := strings.Cut(request, " ")
		answer, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
		c.Close()
		if err != nil {
			t.Errorf("%q: %v", request, err)
			continue
		}
		sniffs := answer.StatusCode != bad && answer.Header.Get("X-Content-Type-Options") != "nosniff"
		if answer.StatusCode != want || sniffs || answer.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%q: %s, %v", request, answer.Status, answer.Header)
		}
	}
}

// TestNamedHost: if it listens on a name of this machine, or for others, other names work.
func TestNamedHost(t *testing.T) {
	for listening, hosts := range map[string]map[string]int{
		"0.0.0.0:0":    {"db.example": http.StatusOK},
		"localhost:0":  {"localhost": http.StatusOK, "db.example": http.StatusMisdirectedRequest},
		"127.0.0.2:0":  {"127.0.0.2": http.StatusOK, "db.example": http.StatusMisdirectedRequest},
		"LocalHost.:0": {"localhost": http.StatusOK},
		"[::1]:0":      {"[::1]": http.StatusOK, "db.example": http.StatusMisdirectedRequest},
		"127.0.0.1:0":  {"": http.StatusOK},
	} {
		s, err := exporter.Listen(t.Context(), listening, "1.2.3")
		if err != nil {
			continue // this machine has no such address
		}
		defer s.Close()
		for host, want := range hosts {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL(), http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			request.Host = host
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("%s, asked for %q: %s", listening, host, answer.Status)
			}
		}
	}
}
