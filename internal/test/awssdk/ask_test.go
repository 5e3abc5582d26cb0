package awssdk

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/realiops/realiops/internal/measure/account"
)

// looking is a client that only looks at its requests.
type looking func(*http.Request)

func (l looking) Do(r *http.Request) (*http.Response, error) {
	l(r)
	return nil, errors.New("not sent")
}

// TestAskedAsTheSDKAsks: our calls have the address, content and signature of the SDK's own client of RDS, in each
// partition and wherever the environment or a profile moves it.
func TestAskedAsTheSDKAsks(t *testing.T) {
	for _, name := range []string{"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN"} {
		t.Setenv(name, "")
	}
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY00",
		"AWS_CONFIG_FILE": t.TempDir() + "/none", "AWS_SHARED_CREDENTIALS_FILE": t.TempDir() + "/none",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_ENDPOINT_URL": "",
	} {
		t.Setenv(name, value)
	}
	profile := t.TempDir() + "/config"
	if err := os.WriteFile(profile, []byte("[default]\nservices = moved\n[services moved]\nrds =\n"+
		"  endpoint_url = http://profile.example/at\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	scope := regexp.MustCompile(`Credential=\w+/\d+(/\S+),`)
	check := func(region string, want string, environment ...string) {
		t.Helper()
		t.Run(want, func(t *testing.T) {
			os.Unsetenv("AWS_ENDPOINT_URL") // an empty one applies to all services
			for _, e := range environment {
				name, value, _ := strings.Cut(e, "=")
				t.Setenv(name, value)
			}
			a, err := account.Open(t.Context(), account.Options{Region: region})
			if err != nil {
				t.Fatal(err)
			}
			config := a.Config()
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
			_, said := account.Ask[struct{}](t.Context(), config, account.Service{ID: "RDS", Version: "2014-10-31",
				Within: "Result", Token: "Marker"}, "DescribeDBInstances", nil)
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
