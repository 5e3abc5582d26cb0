package account_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/realiops/realiops/internal/measure/account"
)

// TestAskedAsTheSDKAsks: where a call goes, what it says and by what it is signed is as the SDK's own client of RDS has
// it, in each partition and wherever the environment or a profile moves it.
func TestAskedAsTheSDKAsks(t *testing.T) {
	alone(t, "")
	withKeys(t)
	profile := t.TempDir() + "/config"
	if err := os.WriteFile(profile, []byte("[default]\nservices = moved\n[services moved]\nrds =\n"+
		"  endpoint_url = http://profile.example/at\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	scope := regexp.MustCompile(`Credential=\w+/\d+(/\S+),`)
	check := func(region string, want string, environment ...string) {
		t.Helper()
		t.Run(want, func(t *testing.T) {
			os.Unsetenv("AWS_ENDPOINT_URL") // one that is empty is one for all services
			for _, e := range environment {
				name, value, _ := strings.Cut(e, "=")
				t.Setenv(name, value)
			}
			config := open(t, account.Options{Region: region}).Config()
			config.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
			var sent []string
			config.HTTPClient = looking(func(r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				sent = append(sent, fmt.Sprint(r.Method, r.URL, r.Header["Content-Type"], string(body),
					scope.FindStringSubmatch(r.Header.Get("Authorization"))[1]))
				if r.Header.Get("User-Agent") == "" || !strings.Contains(r.URL.String(), want) {
					t.Errorf("sent to %s by %q", r.URL, r.Header.Get("User-Agent"))
				}
			})
			_, says := rds.NewFromConfig(config).DescribeDBInstances(t.Context(), &rds.DescribeDBInstancesInput{})
			said := ask(t.Context(), config)
			if len(sent) == 2 && sent[0] != sent[1] || len(sent) == 1 {
				t.Errorf("sent %q", sent)
			}
			if len(sent) == 0 && (says == nil || said == nil || !strings.Contains(says.Error(), want) ||
				!strings.Contains(said.Error(), want)) {
				t.Errorf("the SDK says %v, and this says %v", says, said)
			}
		})
	}
	const fips, dual = "AWS_USE_FIPS_ENDPOINT=true", "AWS_USE_DUALSTACK_ENDPOINT=true"
	check("eu-west-1", "https://rds.eu-west-1.amazonaws.com/")
	check("cn-north-1", "https://rds.cn-north-1.amazonaws.com.cn/")
	check("us-east-1", "https://rds-fips.us-east-1.amazonaws.com/", fips)
	check("us-gov-west-1", "https://rds.us-gov-west-1.amazonaws.com/", fips)
	check("us-east-1", "https://rds.us-east-1.api.aws/", dual)
	check("eu-west-1", "http://all.example/", "AWS_ENDPOINT_URL=http://all.example")
	check("eu-west-1", "http://one.example/", "AWS_ENDPOINT_URL=http://all.example",
		"AWS_ENDPOINT_URL_RDS=http://one.example")
	check("eu-west-1", "http://profile.example/at", "AWS_CONFIG_FILE="+profile)
	check("eu-west-1", "http://all.example/", "AWS_CONFIG_FILE="+profile, "AWS_ENDPOINT_URL=http://all.example")
	check("eu-west-1", "https://rds.eu-west-1.amazonaws.com", "AWS_CONFIG_FILE="+profile,
		"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true")
	check("eu-west-1", "FIPS and custom endpoint are not supported", fips, "AWS_ENDPOINT_URL=http://all.example")
	check("", "Missing Region")
}

// TestClockIsOff: what is signed by a clock that is off is signed again by AWS's, as its answer shows it.
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

// TestPagesEnd: an answer that leads to itself ends, with a word on it.
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
