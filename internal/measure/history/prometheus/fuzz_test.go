package prometheus

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
)

// answers is a store that says one thing of its series, and another of their samples.
type answers struct{ series, samples []byte }

func (a answers) URL(path string, _ map[string]string) *url.URL {
	return &url.URL{Scheme: "http", Host: "db", Path: path}
}

func (a answers) Do(_ context.Context, r *http.Request) (*http.Response, []byte, error) {
	said := &http.Response{StatusCode: http.StatusOK}
	if strings.HasSuffix(r.URL.Path, "/series") {
		return said, a.series, nil
	}
	return said, a.samples, nil
}

// FuzzAnswers: whatever a store says, what is read of it are numbers of the time before now, in order.
func FuzzAnswers(f *testing.F) {
	series := []byte(`{"status":"success","data":[{"__name__":"pg_stat_database_xact_commit","instance":"db1:9187","datname":"a"}]}`)
	f.Add(series, []byte(`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"datname":"a"},"values":[[1793613600,"1"],[1793613660,"2"]]}]}}`))
	f.Add(series, []byte(`{"status":"success","warnings":["x"],"data":{"resultType":"vector","result":[{"metric":{"instance":"a"},"value":[1,"NaN"]}]}}`))
	now := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	q := Query{From: now.Add(-time.Hour), To: now}
	f.Fuzz(func(t *testing.T, series, samples []byte) {
		s := &Store{v1.NewAPI(answers{series, samples}), "db"}
		_, _ = s.Survey(t.Context(), q)
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
	})
}
