package prometheus_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/fleet"
	"github.com/realiops/realiops/internal/measure/history/prometheus"
)

// TestFleetAnswers tries a store with incomplete answers, and one without hours.
func TestFleetAnswers(t *testing.T) {
	ask := func(hours string) error {
		t.Helper()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			switch {
			case strings.HasSuffix(r.URL.Path, "/series") &&
				strings.Contains(r.FormValue("match[]"), "aws_rds_write_iops_average"):
				fmt.Fprint(w,
					`{"status":"success","data":[{"__name__":"aws_rds_write_iops_average","dbinstance_identifier":"one"}]}`)
			case strings.HasSuffix(r.URL.Path, "/query_range"):
				fmt.Fprint(w, hours)
			default:
				fmt.Fprint(w, `{"status":"success","data":[]}`)
			}
		}))
		defer server.Close()
		store, err := prometheus.Open(prometheus.Options{URL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		f := prometheus.NewFleet(store, prometheus.Query{From: begin, To: now})
		all, err := f.Databases(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatalf("%v, %v", all, err)
		}
		_, err = f.Hours(t.Context(), all, begin, now)
		return err
	}
	partly := `{"status":"success","warnings":["store-2 unavailable"],"data":{"resultType":"matrix","result":[]}}`
	cluster := strings.Replace(partly, `"warnings":["store-2 unavailable"],`, `"isPartial":true,`, 1)
	if err := ask(cluster); !errors.Is(err, fleet.ErrPartly) {
		t.Error(err)
	}
	if err := ask(partly); !errors.Is(err, fleet.ErrPartly) || !strings.Contains(err.Error(), "store-2 unavailable") {
		t.Error(err)
	}
	if err := ask(strings.Replace(partly, `"warnings":["store-2 unavailable"],`, "", 1)); err != nil {
		t.Error(err)
	}
	if err := ask(`{"status":"success","data":{"resultType":"vector","result":[]}}`); err == nil ||
		!strings.Contains(err.Error(), "instead of hours") && !strings.Contains(err.Error(), "vector") {
		t.Error(err)
	}
	if err := ask("<html>"); err == nil || !strings.Contains(err.Error(), "no Prometheus at") {
		t.Error(err)
	}
}
