package account_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/account"
)

// TestClockIsOff: a request signed by a wrong clock is signed again by AWS's, as its answer shows it.
func TestClockIsOff(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		now := time.Now().Add(20 * time.Minute)
		w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
		if at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date")); err != nil ||
			now.Sub(at).Abs() > 5*time.Minute {
			refusing(403, "RequestTimeTooSkewed", "off")(w, r)
			return
		}
		fmt.Fprint(w, `<DescribeDBInstancesResponse><DescribeDBInstancesResult/></DescribeDBInstancesResponse>`)
	}))
	defer server.Close()
	alone(t, server.URL)
	withKeys(t)
	if err := describe(t.Context(), open(t, account.Options{Region: "eu-west-1"})); err != nil || asked.Load() != 2 {
		t.Errorf("asked %d times: %v", asked.Load(), err)
	}
}

// TestPagesEnd: an answer whose pages form a circle ends with an error.
func TestPagesEnd(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		marker := map[string]string{"": "a", "a": "b", "b": "b"}[r.FormValue("Marker")]
		fmt.Fprintf(w, `<R><DescribeDBInstancesResult><Marker>%s</Marker></DescribeDBInstancesResult></R>`, marker)
	}))
	defer server.Close()
	alone(t, server.URL)
	withKeys(t)
	type page struct{ Marker string }
	var read []string
	var last error
	for p, err := range account.Pages(t.Context(), open(t, account.Options{Region: "eu-west-1"}).Config(), rdsService,
		"DescribeDBInstances", nil, func(p *page) string { return p.Marker }) {
		read, last = append(read, p.Marker), err
	}
	if strings.Join(read, "") != "abb" || last == nil || !strings.Contains(last.Error(), "same page") {
		t.Errorf("read %q, %v", read, last)
	}
}
