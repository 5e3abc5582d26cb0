package prometheus

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRefusals: whatever a store answers instead, the error says what it was and what to do.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		status int
		said   string
		want   string
	}{
		{200, "<html>", "or not at this path; it answers: a page of HTML"},
		{200, "<!DOCTYPE html><html><head><title>\nGrafana\x1b[31m</title>", `; it answers: the page "Grafana\x1b[31m"`},
		{200, "", "; it answers: nothing"},
		{200, "{}", "; it answers: {}"},
		{200, `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,2]]}]}}`,
			"; it answers: {"},
		{200, `{"status":"success","data":{"resultType":"scalar","result":[1,"2"]}}`,
			"returned a scalar instead of hours"},
		{200, `{"status":"success","data":null}`, "returned a null instead of hours"},
		{200, `{"status":"error","errorType":"internal","error":"x"}`, ": internal: x"},
		{301, "", "it answers: status 301"},
		{400, `{"status":"error","errorType":"bad_data","error":"parse error"}`, ": bad_data: parse error"},
		{400, "no 401", "rejected the query (400 no 401); does the address"},
		{401, "no", "denied access (401 no); check --token-file and --tenant, or the user and password"},
		{403, `{"status":"error"}`, "denied access"},
		{403, `{"status":"error","errorType":"forbidden","error":"x"}`, "denied access"},
		{404, "404 page not found", "rejected the query (404 page not found); does the address include the store's path?"},
		{422, `{"status":"error","errorType":"execution","error":"too many samples"}`, ": execution: too many samples"},
		{429, `{"status":"error","errorType":"too_many_requests","error":"x"}`, "try again later"},
		{503, `{"status":"error","errorType":"timeout","error":"slow"}`, ": timeout: slow"},
		{502, "<html><title>502 Bad Gateway</title>", ` failed (502 the page "502 Bad Gateway"); try again later`},
	} {
		err := ask(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.said))
		})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d %s: %v, want %s", c.status, c.said, err, c.want)
		}
	}
}

// TestCopiedAddresses: an address copied from a query or from the store's page is that of the store.
func TestCopiedAddresses(t *testing.T) {
	for copied, asked := range map[string]string{
		"": "/api/v1/series", "/": "/api/v1/series", "/prometheus/": "/prometheus/api/v1/series",
		"/api/v1": "/api/v1/series", "/prometheus/api/v1/query?query=up": "/prometheus/api/v1/series",
		"/graph?g0.expr=up&g0.tab=1": "/api/v1/series", "/select/0/prometheus/graph": "/select/0/prometheus/api/v1/series",
	} {
		var paths []string
		store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			paths = append(paths, r.URL.Path)
			fmt.Fprint(w, `{"status":"success","data":[]}`)
		}))
		s, err := Open(Options{URL: store.URL + copied})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.series(t.Context(), Query{To: time.Now()}, "up", 1); err != nil || !slices.Equal(paths, []string{asked}) {
			t.Errorf("%s: asked %q, %v, want %s", copied, paths, err, asked)
		}
		store.Close()
	}
}

// TestPassingRefusals: a request that a store refuses for the moment is sent again after pauses of 1, 2, 4, 8 and 16 s,
// or as the store asks, which is said once. A minute ends that, in one line, and a query that takes too long is final.
func TestPassingRefusals(t *testing.T) {
	const good = `{"status":"success","data":{"resultType":"matrix","result":[]}}`
	date := "Mon, 02 Nov 2026 10:00:00 GMT"
	type refused struct {
		status int
		after  string
	}
	type s = []time.Duration
	for name, c := range map[string]struct {
		answers []refused // then a good one
		paused  s
		told    int
		says    string
	}{
		"once":    {[]refused{{503, ""}}, s{1}, 1, ""},
		"several": {[]refused{{503, ""}, {429, ""}, {502, ""}, {504, ""}, {429, ""}}, s{1, 2, 4, 8, 16}, 4, ""},
		"asks":    {[]refused{{429, "7"}, {429, "Mon, 02 Nov 2026 10:00:20 GMT"}}, s{7, 20}, 1, ""},
		"long": {[]refused{{429, "600"}}, nil, 0,
			"(429 no); try again later, or ask for less with --for (it asks to wait for 10 min)"},
		"always": {slices.Repeat([]refused{{503, ""}}, 99), s{1, 2, 4, 8, 16}, 1,
			"failed (503 no); try again later (6 attempts within 31 s)"},
		"other": {[]refused{{500, ""}}, nil, 0, "failed (500 no); try again later"},
	} {
		var paused s
		told, sent := 0, 0
		store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.FormValue("query") != "up" {
				t.Errorf("%s: it asks %s", name, r.Form)
			}
			if sent++; sent > len(c.answers) {
				_, _ = w.Write([]byte(good))
				return
			}
			w.Header().Set("Date", date)
			if after := c.answers[sent-1].after; after != "" {
				w.Header().Set("Retry-After", after)
			}
			http.Error(w, "no", c.answers[sent-1].status)
		}))
		defer store.Close()
		open, err := Open(Options{URL: store.URL, Tell: func(string, ...any) { told++ },
			Pause: func(_ context.Context, d time.Duration) error {
				paused = append(paused, d/time.Second)
				return nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = (&Fleet{store: open}).rangeOf(t.Context(), "up", time.UnixMilli(500), time.UnixMilli(7200_500))
		if diff := cmp.Diff(c.paused, paused); diff != "" || told != c.told || (err == nil) != (c.says == "") ||
			err != nil && !strings.HasSuffix(err.Error(), c.says) {
			t.Errorf("%s: %v, told %d times, pauses (-want +got):\n%s", name, err, told, diff)
		}
	}
}

// TestStoreGoesAway: a store that closed a connection after it had answered is asked again; one that never answered is
// not.
func TestStoreGoesAway(t *testing.T) {
	var n atomic.Int64
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if i := n.Add(1); i == 2 || i == 3 { // the first of these net/http repeats, as the connection was an old one
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write([]byte(`{"status":"success","data":["x"]}`))
	}))
	defer store.Close()
	pauses := 0
	s, err := Open(Options{URL: store.URL, Pause: func(context.Context, time.Duration) error {
		pauses++
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := s.series(t.Context(), Query{}, "up", 9); err == nil || !strings.Contains(err.Error(), "no Prometheus") {
			t.Errorf("%v", err)
		}
	}
	if n.Load() != 4 || pauses != 1 {
		t.Errorf("it was asked %d times, with %d pauses", n.Load(), pauses)
	}
}

// TestUntrustedStores: each kind of certificate and protocol that does not fit has its own remedy.
func TestUntrustedStores(t *testing.T) {
	encrypted := httptest.NewTLSServer(http.NotFoundHandler())
	defer encrypted.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for url, want := range map[string]string{
		encrypted.URL: "is signed by an unknown authority; make this machine trust it",
		strings.Replace(plain.URL, "http:", "https:", 1): "does not answer with TLS; does its address begin with http://?",
	} {
		s, err := Open(Options{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = s.values(t.Context(), Query{}, "job", "up", 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
}

// TestPostingIsNotAllowed: then the request is in the URL.
func TestPostingIsNotAllowed(t *testing.T) {
	for _, status := range []int{http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotImplemented} {
		err := ask(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				w.WriteHeader(status)
				return
			}
			if r.FormValue("query") != "up" || r.FormValue("start") != "3600.5" || r.FormValue("step") != "3600" {
				t.Errorf("it asks %s", r.URL)
			}
			_, _ = w.Write([]byte(`{"status":"success","data":{"resultType":"matrix","result":[]}}`))
		})
		if err != nil {
			t.Errorf("after %d: %v", status, err)
		}
	}
}

// ask asks a store for hours.
func ask(t *testing.T, answer http.HandlerFunc) error {
	t.Helper()
	store := httptest.NewServer(answer)
	defer store.Close()
	s, err := Open(Options{URL: store.URL, Pause: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	f := &Fleet{store: s}
	_, err = f.rangeOf(t.Context(), "up", time.UnixMilli(500), time.UnixMilli(7200_500))
	return err
}
