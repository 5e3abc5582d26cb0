package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/accounttest"
	"github.com/realiops/realiops/internal/test/insightstest"
	"github.com/realiops/realiops/internal/test/servertest"
)

// TestPolicyAllowsACommandsCalls makes each command do everything that it asks AWS for, and compares the calls with
// its policy, which must allow exactly these. TestStandInAurora does so for run, and TestLetInByStores for stores.
func TestPolicyAllowsACommandsCalls(t *testing.T) {
	p := calledAccount(t)
	path := filepath.Join(t.TempDir(), "run.jsonl")
	measuredOn(t, path, runfile.Cloud{Provider: "aws", Region: accounttest.Region, Instance: "shop-1", Cluster: "shop",
		Engine: "aurora-postgresql", Class: "db.r6g.large", Storage: "aurora", Resource: "db-ABC", Insights: true},
		time.Now().AddDate(0, 0, -1).UTC().Truncate(time.Hour))
	dsn := []string{"--dsn", p.dsn, "--region", accounttest.Region}
	for name, args := range map[string][]string{
		"doctor":  append([]string{"doctor"}, dsn...),
		"observe": append([]string{"observe", "--for", "3s", "-o", filepath.Join(t.TempDir(), "o.jsonl")}, dsn...),
		"measure": append([]string{"measure", "-r", "1", "--sql", "select 1"}, dsn...),
		"load":    append([]string{"load", "-t", "1", "--iam-auth", "--instance", "shop-1"}, dsn...),
		"collect": {"aws", "collect", path, "--progress", "none"},
		"cost":    {"aws", "cost", "--cluster", "shop"},
		"history": {"history", "--region", accounttest.Region, "--cluster", "shop", "--for", "9d", "-o",
			filepath.Join(t.TempDir(), "h.jsonl")},
		"fleet": {"fleet", "--aws", "--region", accounttest.Region, "--for", "10d", "--dir",
			filepath.Join(t.TempDir(), "fleet")},
		"prices": {"prices", "aws", "--region", accounttest.Region},
		"limits": {"aws", "limits", "--region", accounttest.Region},
	} {
		var said bytes.Buffer
		env := command.Env{In: strings.NewReader(""), Out: &said, Err: &said, Getenv: os.Getenv, Now: hurried(),
			Width: func() int {
				return 80
			}}
		code := Main(env, args)
		called := p.called()
		allowed := allowedTo(name, func(action string) bool { return !strings.HasPrefix(action, "aps:") })
		if diff := cmp.Diff(called, allowed); diff != "" {
			t.Errorf("%s calls, and the policy allows (-calls +policy):\n%s\n%d, %s", name, diff, code, &said)
		}
	}
}

// allowedTo returns the actions of a command's policy that match some.
func allowedTo(name string, some func(action string) bool) (all []string) {
	for _, s := range account.PolicyFor("aws", name) {
		all = append(all, s.Actions...)
	}
	all = slices.DeleteFunc(all, func(action string) bool { return !some(action) })
	slices.Sort(all)
	return all
}

// called is an account that records its calls, with an Aurora cluster and a database that says it is its writer.
type called struct {
	proxies []*accounttest.Proxy
	dsn     string
	behind  *postgres.Endpoint // of its superuser
}

// called returns the calls since it was last called.
func (c called) called() (all []string) {
	for _, p := range c.proxies {
		all = append(all, p.Actions()...)
	}
	// GetCallerIdentity needs no permission, and AssumeRole is the role's to allow.
	all = slices.DeleteFunc(all, func(action string) bool { return strings.HasPrefix(action, "sts:") })
	slices.Sort(all)
	return all
}

func calledAccount(t *testing.T) called {
	t.Helper()
	s := accounttest.Start(t)
	plantShop(t, s, time.Now().Add(-240*time.Hour).UTC().Truncate(time.Hour), 2)
	at, proxy := s.Proxy(t)
	at.Setenv(t)
	insights := insightstest.Start(t, insightstest.Options{})
	insights.Have(insightstest.Metric{Name: "db.load"}, insightstest.Metric{Name: "os.diskIO.auroraStorage.writeIOsPS"})
	behind := servertest.Database(t, "17")
	c := called{[]*accounttest.Proxy{proxy}, servertest.Aurora(t, behind, "shop-1").Config().ConnString(), behind}
	for name, service := range map[string]http.Handler{"PI": insights, "PRICING": http.HandlerFunc(noPrices),
		"EC2": http.HandlerFunc(noTypes)} {
		before := accounttest.NewProxy(service)
		server := httptest.NewServer(before)
		t.Cleanup(server.Close)
		t.Setenv("AWS_ENDPOINT_URL_"+name, server.URL)
		c.proxies = append(c.proxies, before)
	}
	return c
}

func noPrices(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	fmt.Fprint(w, `{"FormatVersion": "aws_v1", "PriceList": []}`)
}

func noTypes(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/xml")
	fmt.Fprint(w,
		`<DescribeInstanceTypesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><instanceTypeSet/></DescribeInstanceTypesResponse>`)
}

// actionsOfPaths returns the permissions that Amazon's Prometheus requires for paths of its API:
// https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-APIReference-Prometheus-Compatible-Apis.html
func actionsOfPaths(paths []string) (all []string) {
	values := regexp.MustCompile(`^label/[^/]+/values$`)
	for _, path := range paths {
		action, known := map[string]string{"query": "aps:QueryMetrics", "query_range": "aps:QueryMetrics",
			"series": "aps:GetSeries",
			"labels": "aps:GetLabels", "metadata": "aps:GetMetricMetadata"}[path]
		if values.MatchString(path) {
			action, known = "aps:GetLabels", true
		}
		if !known {
			action = path + ", which it does not have"
		}
		all = append(all, action)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
