package collect

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/runfile"
)

// TestTwoRegions: each run is collected from its own region, whatever the default region is.
func TestTwoRegions(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]bool{} // by service and region of the signature
	scope := regexp.MustCompile(`Credential=[^/]+/\d+/([^/]+)/([^/]+)/`)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if found := scope.FindStringSubmatch(r.Header.Get("Authorization")); found != nil {
			mu.Lock()
			asked[found[2]+" "+found[1]] = true
			mu.Unlock()
		}
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "planted-secret-key",
		"AWS_SESSION_TOKEN": "", "AWS_PROFILE": "",
		"AWS_REGION": "us-east-1", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
		"AWS_EC2_METADATA_DISABLED": "true",
	} {
		t.Setenv(name, value)
	}
	a, err := account.Open(t.Context(), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	to := time.Now().Add(-time.Hour)
	for _, region := range []string{"eu-central-1", "ap-southeast-2"} {
		cloud, err := NewCloud(a, runfile.Cloud{
			Provider: "aws", Region: region, Instance: "db-1", Engine: "aurora-postgresql", Class: "db.r6g.large",
			Resource: "db-ABC", Insights: true,
		}, Tempo{}, time.Now, func(runfile.Metric) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		clear(asked)
		for _, s := range cloud.sources {
			_ = s.Backfill(t.Context(), to.Add(-time.Minute), to, func(runfile.Record) error { return nil }) // refused
		}
		for _, want := range []string{"monitoring " + region, "pi " + region} {
			if !asked[want] || len(asked) != 2 {
				t.Errorf("%v were asked, not %s", asked, want)
			}
		}
	}
	if slices.Contains([]string{"eu-central-1", "ap-southeast-2"}, a.Config().Region) {
		t.Errorf("the account's own region became %s", a.Config().Region)
	}
}
