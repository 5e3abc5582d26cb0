package limits_test

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/limits"
	"github.com/realiops/realiops/internal/test/accounttest"
)

// recorded has answers of EC2, including two pages, the first with a token for the next.
//
//go:embed testdata
var recorded embed.FS

// cloud answers both calls, page by page.
type cloud struct {
	t      *testing.T
	offers [][]string // of RDS, by page
	said   []map[string]any
}

func (c *cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	form := map[string]string{}
	_ = r.ParseForm()
	for name, values := range r.PostForm {
		form[name] = values[0]
	}
	service, answer := "", ""
	switch form["Action"] {
	case "DescribeInstanceTypes":
		service, answer = "ec2", c.types(form["NextToken"])
	case "DescribeOrderableDBInstanceOptions":
		service, answer = "rds", c.offered(form["Marker"])
	}
	if signed := "/eu-central-1/" + service + "/aws4_request"; service == "" ||
		!strings.Contains(r.Header.Get("Authorization"), signed) {
		c.t.Errorf("asked for %v, signed by %s", form, r.Header.Get("Authorization"))
	}
	c.said = append(c.said, map[string]any{"service": service, "form": form, "answer": answer})
	w.Header().Set("Content-Type", "text/xml")
	fmt.Fprint(w, answer)
}

func (c *cloud) types(token string) string {
	if token == "" {
		first, _ := recorded.ReadFile("testdata/types-1.xml")
		return strings.Replace(string(first), "</instanceTypeSet>", "</instanceTypeSet><nextToken>more</nextToken>", 1)
	}
	second, _ := recorded.ReadFile("testdata/types-2.xml")
	return string(second)
}

func (c *cloud) offered(marker string) string {
	page, next := 0, ""
	fmt.Sscan(marker, &page)
	if page+1 < len(c.offers) {
		next = fmt.Sprintf("<Marker>%d</Marker>", page+1)
	}
	return `<DescribeOrderableDBInstanceOptionsResponse xmlns="http://rds.amazonaws.com/doc/2014-10-31/"><DescribeOrderableDBInstanceOptionsResult>` +
		"<OrderableDBInstanceOptions>" + strings.Join(c.offers[page], "") + "</OrderableDBInstanceOptions>" + next +
		"</DescribeOrderableDBInstanceOptionsResult><ResponseMetadata><RequestId>0</RequestId></ResponseMetadata></DescribeOrderableDBInstanceOptionsResponse>"
}

// offer returns RDS's offer for a class; members adds elements to the answer.
func offer(version, class, kind string, members string) string {
	return "<OrderableDBInstanceOption><Engine>postgres</Engine><EngineVersion>" + version +
		"</EngineVersion><DBInstanceClass>" + class + "</DBInstanceClass>" +
		"<LicenseModel>postgresql-license</LicenseModel><AvailabilityZones><AvailabilityZone><Name>eu-central-1a</Name></AvailabilityZone></AvailabilityZones>" +
		"<MultiAZCapable>true</MultiAZCapable><StorageType>" + kind + "</StorageType>" + members +
		"</OrderableDBInstanceOption>"
}

func ask(t *testing.T, handler http.Handler) ([]catalog.Instance, *account.Account, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	accounttest.At(server.URL).Setenv(t)
	a, err := account.Open(t.Context(), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := limits.Ask(t.Context(), a.Config())
	return all, a, account.Explain(err)
}

// TestAsk: all pages of both services are read, each class has its source, and --limits reads the output.
func TestAsk(t *testing.T) {
	size := "<MinStorageSize>20</MinStorageSize><MaxStorageSize>65536</MaxStorageSize>"
	c := &cloud{t: t, offers: [][]string{
		{offer("16.4", "db.r9g.large", "gp3",
			"<MinStorageSize>20</MinStorageSize><MaxStorageSize>16384</MaxStorageSize>"),
			offer("16.4", "db.r9g.large", "aurora", "")},
		{
			offer("17.6", "db.r9g.large", "gp3", size+
				"<MinIopsPerDbInstance>12000</MinIopsPerDbInstance><MaxIopsPerDbInstance>64000</MaxIopsPerDbInstance>"+
				"<MinStorageThroughputPerDbInstance>500</MinStorageThroughputPerDbInstance><MaxStorageThroughputPerDbInstance>4000</MaxStorageThroughputPerDbInstance>"),
			offer("17.6", "db.r9g.large", "gp2", size),
		},
	}}
	all, a, err := ask(t, c)
	if err != nil {
		t.Fatal(err)
	}
	for i, said := range []string{"EC2 DescribeInstanceTypes, eu-central-1, 20", "", "",
		"RDS DescribeOrderableDBInstanceOptions, eu-central-1, 20"} {
		if !strings.HasPrefix(all[i].Sources[0], said) {
			t.Errorf("the %s is from %q", all[i].Class, all[i].Sources)
		}
	}
	want := []catalog.Instance{
		{Class: "r9g.large", Provider: "ebs", BaseIOPS: 3600, MostIOPS: 48000, BaseMB: 95, MostMB: 1500, Bursts: true},
		{Class: "t2.medium", Provider: "ebs", Unpublished: true},
		{Class: "t4g.micro", Provider: "ebs", BaseIOPS: 500, MostIOPS: 11800, BaseMB: 10.875, MostMB: 260.625,
			Bursts: true},
		{Class: "db.r9g.large", Provider: "rds", Sold: []catalog.Sold{
			{Volume: "rds-gp2", GiB: [2]float64{20, 65536}},
			{Volume: "rds-gp3", GiB: [2]float64{20, 65536}, IOPS: [2]float64{12000, 64000},
				MiBps: [2]float64{500, 4000}},
		}},
	}
	if diff := cmp.Diff(want, all, cmpopts.IgnoreFields(catalog.Instance{}, "Sources")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var file bytes.Buffer
	_ = json.NewEncoder(&file).Encode(all)
	if back, err := catalog.ReadLimits(&file); !cmp.Equal(back, all) || err != nil {
		t.Errorf("read again: %+v, %v", back, err)
	}
	for _, call := range a.Calls() {
		if call.Count != 2 {
			t.Errorf("%s:%s was counted %d times", call.Service, call.Operation, call.Count)
		}
	}
	byModel(t, c.said)
}

// byModel compares requests with botocore's models of both services.
func byModel(t *testing.T, said []map[string]any) {
	t.Helper()
	lines, _ := json.Marshal(said)
	check, _ := recorded.ReadFile("testdata/check.py")
	cmd := exec.CommandContext(t.Context(), accounttest.Python(t), "-c", string(check))
	cmd.Stdin = bytes.NewReader(lines)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestEC2SaysNo: EC2's errors, in its own XML, are reported like other services', and passing ones are retried.
func TestEC2SaysNo(t *testing.T) {
	check := func(does accounttest.Fault, kind account.Kind, want string) {
		t.Helper()
		_, _, err := ask(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { does(w, r, nil) }))
		if trouble, is := errors.AsType[*account.Trouble](err); !is || trouble.Kind != kind || trouble.Error() != want {
			t.Errorf("%v, want %s: %s", err, kind, want)
		}
	}
	check(accounttest.Denied(), account.Denied,
		"AWS does not allow these credentials ec2:DescribeInstanceTypes; realiops aws policy prints the permissions it needs")
	check(accounttest.Expired(), account.Expired,
		"ec2:DescribeInstanceTypes: the credentials have expired; sign in again (aws sso login, or new keys)")
	check(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { fmt.Fprint(w, "<html>hello") },
		account.Other, "ec2:DescribeInstanceTypes: cannot read the answer (HTTP 200); is a proxy answering instead of AWS?")
	check(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.WriteHeader(http.StatusInternalServerError)
		for err := error(nil); err == nil; {
			_, err = w.Write(bytes.Repeat([]byte("a"), 1<<16))
		}
	}, account.Other,
		"ec2:DescribeInstanceTypes: the answer is longer than 16 MiB; is a proxy answering instead of AWS?")
}

// TestEC2IsAskedAgain: after throttling, and after a broken answer.
func TestEC2IsAskedAgain(t *testing.T) {
	proxy := accounttest.NewProxy(&cloud{t: t, offers: [][]string{{}}})
	proxy.On("DescribeInstanceTypes", accounttest.Refused(http.StatusServiceUnavailable, "RequestLimitExceeded",
		"Request limit exceeded."), 1)
	proxy.On("DescribeInstanceTypes", accounttest.Truncated(), 2)
	all, a, err := ask(t, proxy)
	if err != nil || len(all) != 3 {
		t.Errorf("%d classes, %v", len(all), err)
	}
	if call := a.Calls()[0]; call.Count != 2 || call.Retries != 2 {
		t.Errorf("%+v, want two calls, the first made three times", call)
	}
}

// TestNowhereElse: the environment's endpoint for EC2 overrides the one for all services.
func TestNowhereElse(t *testing.T) {
	c := &cloud{t: t, offers: [][]string{{}}}
	ec2 := httptest.NewServer(c)
	t.Cleanup(ec2.Close)
	t.Setenv("AWS_ENDPOINT_URL_EC2", ec2.URL)
	other := &cloud{t: t, offers: [][]string{{}}}
	if all, _, err := ask(t, other); err != nil || len(all) != 3 || len(c.said) != 2 || len(other.said) != 1 {
		t.Errorf("%d classes, %d calls of EC2 and %d elsewhere, %v", len(all), len(c.said), len(other.said), err)
	}
}
