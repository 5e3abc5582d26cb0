//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// scrapers are clients of `observe --listen` that hold its resources.
func scrapers() []Fault {
	row := func(name string, n int, do func(net.Conn)) Fault {
		return Fault{
			Name:    fmt.Sprintf("`observe --listen`, with %d clients that %s", n, name),
			Prepare: first(freePort, theirs(listening)), When: reading, Strike: beset(n, do),
		}
	}
	return in("scrapers",
		row("say nothing", 500, func(net.Conn) {}),
		row("send a byte a second", 100, trickle),
		row("ask and read nothing", 100, func(c net.Conn) {
			_ = c.(*net.TCPConn).SetReadBuffer(1 << 10)
			_, _ = io.WriteString(c, strings.Repeat("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 5000))
		}),
		row("announce a body and send none", 100, func(c net.Conn) {
			_, _ = io.WriteString(c, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
		}),
		row("send an endless header", 100, func(c net.Conn) {
			_, err := io.WriteString(c, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n")
			for err == nil {
				_, err = io.WriteString(c, "A: "+strings.Repeat("a", 1<<10)+"\r\n")
			}
		}),
	)
}

// trickle sends a byte of a request a second.
func trickle(c net.Conn) {
	for {
		if _, err := io.WriteString(c, "G"); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// freePort finds an unused port.
func freePort(p *place) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	p.service = l.Addr().String()
	return l.Close()
}

func listening(p *place) ([]string, error) { return observing("20s", "--listen", p.service)(p) }

// beset opens connections that do something, and checks that an honest client is still answered, and
// that the observation continues.
func beset(n int, do func(net.Conn)) strike {
	return func(s *scene) error {
		for range n {
			c, err := net.Dial("tcp", s.service)
			if err != nil {
				return err
			}
			defer c.Close()
			go do(c)
		}
		client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
		for range 5 {
			answer, err := client.Get("http://" + s.service + "/metrics")
			if err != nil {
				return fmt.Errorf("scrape it honestly: %w", err)
			}
			text, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || answer.StatusCode != http.StatusOK ||
				!strings.Contains(string(text), "realiops_probe_up") {
				return fmt.Errorf("an honest scrape gets %s, %d bytes, %w", answer.Status, len(text), err)
			}
		}
		s.command.Wait()
		return noGap(s.path(record))
	}
}

// noGap finds a time in which an observation, which reads each second, has no readings.
func noGap(path string) error {
	records, file, err := runfile.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	var last time.Time
	const most = 4 * time.Second // on a busy machine
	read := 0
	for r, err := range records {
		if err != nil {
			return err
		}
		reading, is := r.(runfile.Reading)
		if !is || reading.Probe != "pgstat" {
			continue
		}
		if gap := reading.At.Sub(last); read > 0 && gap > most {
			return fmt.Errorf("nothing was read for %v", gap)
		}
		last = reading.At
		read++
	}
	if read == 0 {
		return errors.New("nothing was read")
	}
	return nil
}
