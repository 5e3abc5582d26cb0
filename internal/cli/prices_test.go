package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/cli/command"
)

// TestPricesOfAWS reads doubled prices of gp3 from a stand-in, and sizes with the file that it wrote.
func TestPricesOfAWS(t *testing.T) {
	gp3 := `{\"product\":{\"productFamily\":\"Storage\",\"attributes\":{\"usagetype\":\"EBS:VolumeUsage.gp3\"}},\"serviceCode\":\"AmazonEC2\",` +
		`\"publicationDate\":\"2026-09-10T00:00:00Z\",\"terms\":{\"OnDemand\":{\"A\":{\"priceDimensions\":{\"B\":{\"unit\":\"GB-Mo\",\"beginRange\":\"0\",\"pricePerUnit\":{\"USD\":\"0.16\"}}}}}}}`
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		if strings.Contains(string(body), `"AmazonEC2"`) && strings.Contains(string(body), `"us-east-1"`) {
			fmt.Fprintf(w, `{"FormatVersion": "aws_v1", "PriceList": ["%s"]}`, gp3)
			return
		}
		fmt.Fprint(w, `{"FormatVersion": "aws_v1", "PriceList": []}`)
	}))
	defer service.Close()
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": service.URL, "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_PROFILE":     "",
		"AWS_CONFIG_FILE": t.TempDir() + "/none", "AWS_SHARED_CREDENTIALS_FILE": t.TempDir() + "/none",
	} {
		t.Setenv(name, value)
	}
	file := filepath.Join(t.TempDir(), "prices.json")
	run := func(args ...string) (out, errs string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		root := newRootCommand(command.Env{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Getenv: os.Getenv})
		root.SetArgs(args)
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, &stderr)
		}
		return stdout.String(), stderr.String()
	}
	if out, errs := run("prices", "aws", "--region", "us-east-1", "-o", file); out != "" || errs != "" {
		t.Errorf("printed %q and %q", out, errs)
	}
	out, _ := run("size", "../../testdata/runs/loads-pg17.jsonl", "--load", "async", "--gib", "1000", "--on", "ebs",
		"--price", file)
	if !regexp.MustCompile(`(?m)^EBS gp3 +1,000 +3,000 +125 +size +160 +20[-0-9]+$`).MatchString(out) {
		t.Errorf("gp3 does not cost 160:\n%s", out)
	}
}
