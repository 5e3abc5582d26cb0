package main

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/test/process"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

// listening stands in front of a store, and records the databases in queries.
type listening struct {
	http.Handler
	mu      sync.Mutex
	queries int            // of hours so far
	asked   map[string]int // queries, by database
	before  func(queries int)
}

var askedFor = regexp.MustCompile(`db-\d{4}`)

func (l *listening) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if body, err := readBody(r); err == nil && strings.HasSuffix(r.URL.Path, "/query_range") {
		l.mu.Lock()
		l.queries++
		for _, name := range askedFor.FindAllString(body, -1) {
			l.asked[name]++
		}
		before, n := l.before, l.queries
		l.mu.Unlock()
		before(n)
	}
	l.Handler.ServeHTTP(w, r)
}

// readBody reads a request's body without consuming it.
func readBody(r *http.Request) (string, error) {
	var all bytes.Buffer
	_, err := all.ReadFrom(r.Body)
	r.Body = http.NoBody
	if err == nil {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(all.Bytes())), int64(all.Len())
	}
	asked, failed := url.QueryUnescape(all.String())
	return asked, cmp.Or(err, failed)
}

// from resets the record.
func (l *listening) from(before func(queries int)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queries, l.asked, l.before = 0, map[string]int{}, before
}

// TestFleetGoesOnAfterKill: after SIGKILL, during a query or a write, realiops fleet continues when started again. It
// does not ask for a kept database again, and its output is identical to an undisturbed run's.
func TestFleetGoesOnAfterKill(t *testing.T) {
	t.Parallel()
	const databases = 45 // asked for twenty at a time
	made := &prometheustest.Made{Instances: databases}
	end := time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC)
	store, err := url.Parse(prometheustest.Start(t, made.Sampled(end.Add(-25*time.Hour), end)...))
	if err != nil {
		t.Fatal(err)
	}
	l := &listening{Handler: httputil.NewSingleHostReverseProxy(store)}
	server := httptest.NewServer(l)
	defer server.Close()
	has := filepath.Join(t.TempDir(), "has.csv")
	var table strings.Builder
	table.WriteString("database,volume,gib,iops\n")
	for i := range databases {
		table.WriteString(prometheustest.Instance(i) + ",rds-io1,1000,10000\n")
	}
	if err := os.WriteFile(has, []byte(table.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	begin := func(dir string) *process.Process {
		t.Helper()
		return start(t, raced(t, "fleet", "--prometheus", server.URL, "--until", end.Format(time.RFC3339), "--for",
			"24h", "--dir", dir, "--has", has, "--format", "csv"))
	}
	finish := func(dir string) string {
		t.Helper()
		p := begin(dir)
		if status := p.Wait(); status != 0 {
			t.Fatalf("status %d: %s", status, p.Err)
		}
		return p.Out.String() + told(t, dir)
	}
	never := func(int) {}
	l.from(never)
	undisturbed := finish(filepath.Join(t.TempDir(), "fleet"))
	if !strings.Contains(undisturbed, "db-0045") || len(l.asked) != databases {
		t.Fatalf("%d databases were asked for: %s", len(l.asked), undisturbed)
	}

	queries, all := l.asked["db-0001"], l.queries
	for name, times := range l.asked {
		if times != queries {
			t.Errorf("%s was asked for %d times, and db-0001 %d times", name, times, queries)
		}
	}

	killed := func(name string, kill func(kill func()) (before func(queries int)), until func(dir string)) {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "fleet")
			begun := make(chan *process.Process, 1)
			l.from(kill(func() { p := <-begun; _ = p.Process.Kill(); begun <- p }))
			p := begin(dir)
			begun <- p
			if until != nil {
				until(dir)
				_ = p.Process.Kill()
			}
			if status := p.Wait(); status != -1 {
				t.Fatalf("it ended by itself: status %d: %s", status, p.Err)
			}
			kept := keptIn(t, dir)
			l.from(never)
			if again := finish(dir); again != undisturbed {
				t.Errorf("it says otherwise:\n%s", again)
			}
			for name, times := range l.asked {
				if slices.Contains(kept, name) || times != queries {
					t.Errorf("%s was asked for %d times, and these were kept: %v", name, times, kept)
				}
			}
			if len(l.asked)+len(kept) != databases {
				t.Errorf("%d were asked for, and %d kept", len(l.asked), len(kept))
			}
		})
	}
	at := func(query int) func(kill func()) func(int) { // or at the next query
		return func(kill func()) func(int) {
			return func(n int) {
				if n >= query {
					kill()
				}
			}
		}
	}
	killed("before its first answer", at(1), nil)
	killed("within the second twenty", at(all/2), nil)
	killed("at the last", at(all), nil)
	killed("while it writes", at(all/3+1), func(dir string) {
		for range 120_000 { // two minutes
			if len(keptIn(t, dir)) >= 3 {
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
}

// keptIn returns the databases with complete files.
func keptIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name, is := strings.CutSuffix(e.Name(), ".jsonl.zst"); is && !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	return names
}

// told returns the pages of a fleet, by name.
func told(t *testing.T, dir string) (all string) {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		all += filepath.Base(page) + string(text)
	}
	return all
}
