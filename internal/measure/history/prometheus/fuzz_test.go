package prometheus

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// answers is a store with fixed answers for series and samples.
type answers struct{ series, samples []byte }

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	text := a.samples
	if strings.HasSuffix(r.URL.Path, "/series") {
		text = a.series
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(text))}, nil
}

// FuzzAnswers: whatever a store answers, the result has numbers at times before now, in order.
func FuzzAnswers(f *testing.F) {
	series := []byte(
		`{"status":"success","data":[{"__name__":"pg_stat_database_xact_commit","instance":"db1:9187","datname":"a"}]}`)
	f.Add(series,
		[]byte(`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"datname":"a"},"values":[[1793613600,"1"],[1793613660,"2"]]}]}}`))
	f.Add(series,
		[]byte(`{"status":"success","warnings":["x"],"data":{"resultType":"vector","result":[{"metric":{"instance":"a"},"value":[1,"NaN"]}]}}`))
	now := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	q := Query{From: now.Add(-time.Hour), To: now}
	f.Fuzz(func(t *testing.T, series, samples []byte) {
		s := &Store{source: remote{http.Client{Transport: answers{series, samples}},
			url.URL{Scheme: "http", Host: "db"}, &persistent{}}, host: "db"}
		_, _ = s.Survey(t.Context(), q)
		inOrder(t, s, q, now)
	})
}

// FuzzDump: the same for a dump's text.
func FuzzDump(f *testing.F) {
	f.Add([]byte(`{__name__="pg_stat_database_xact_commit", instance="db1:9187", datname="a"} 1 1793613600000
{__name__="pg_stat_database_xact_commit", instance="db1:9187", datname="a"} 2 1793613660000
`))
	f.Add([]byte("# TYPE node_disk_writes_completed counter\nnode_disk_writes_completed_total{device=\"sda\"} 5 " +
		"1793613600 # {id=\"x\"} 1\n# EOF\n"))
	now := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text []byte) {
		s, from, to, err := OpenDump("dump", text)
		if err != nil || to.Sub(from) > 24*time.Hour { // a history of years is read day by day
			return
		}
		inOrder(t, s, Query{From: from.Add(-time.Millisecond), To: to}, now)
	})
}

// TestDumpsHaveTimesOfOurs: a dump without samples, or with times far apart, is refused immediately.
func TestDumpsHaveTimesOfOurs(t *testing.T) {
	sample := func(at string) string {
		return `{__name__="pg_stat_database_xact_commit", instance="db1:9187", datname="a"} 1 ` + at + "\n"
	}
	for text, want := range map[string]string{
		"":                                    "has no samples of PostgreSQL or of a disk",
		"up 1 1\n":                            "has no samples of PostgreSQL or of a disk",
		sample("0") + sample("1793613600000"): "from 1970-01-01 to 2026-11-02, too long",
		sample("1793613600000") + sample("9000000000000"):    "too long",
		sample("1793613600000") + sample("90000000000000e9"): "invalid timestamp",
		sample("1793613600") + sample("1793613660"):          "begin on 1970-01-21; promtool tsdb dump writes times in milli",
		sample("1793613600000") + strings.Replace(sample("1793613600000"), "} 1", "} 2", 1): "two values at " +
			"2026-11-02T10:00:00Z",
	} {
		if _, _, _, err := OpenDump("dump", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// inOrder reads a server from a store and checks the order.
func inOrder(t *testing.T, s *Store, q Query, now time.Time) {
	t.Helper()
	found, err := s.Find(t.Context(), q)
	if err != nil {
		return
	}
	read, err := s.Read(t.Context(), found, q, now)
	if err != nil {
		return
	}
	for i, r := range read.Readings {
		if r.At.After(now) || i > 0 && r.At.Before(read.Readings[i-1].At) {
			t.Errorf("%v after %v", r, read.Readings[max(i-1, 0)])
		}
		for name, v := range r.Values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s is %g", name, v)
			}
		}
	}
}
