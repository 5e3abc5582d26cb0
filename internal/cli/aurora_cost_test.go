package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/billing"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/accounttest"
)

var update = flag.Bool("update", false, "write testdata/aurora-cost/metrics.json anew")

const shopFiles = "../../testdata/aurora-cost/"

// shopDays is an invented cluster of five weeks from 2026-09-21: a provisioned writer, a serverless reader since 28
// September, a holiday week from 3 to 9 October, and a restore of 200 GiB on 20 October. VolumeReadIOPs lacks four
// hours of 12 October, and VolumeBytesUsed two of the next day.
type shopDays struct {
	begin time.Time
	hours int
}

func shop() shopDays { return shopDays{time.Date(2026, 9, 21, 0, 0, 0, 0, time.UTC), 35 * 24} }

func date(month time.Month, day int) time.Time {
	return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC)
}

// value returns a metric's value in an hour, and whether there is one.
func (s shopDays) value(metric string, h int) (float64, bool) {
	at := s.begin.Add(time.Duration(h) * time.Hour)
	within := func(from, to time.Time) bool { return !at.Before(from) && at.Before(to) }
	holiday := within(date(10, 3), date(10, 10))
	switch metric {
	case "VolumeReadIOPs":
		if within(date(10, 12).Add(2*time.Hour), date(10, 12).Add(6*time.Hour)) {
			return 0, false
		}
		return map[bool]float64{true: 200_000, false: 1_500_000}[holiday], true
	case "VolumeWriteIOPs":
		writes := map[bool]float64{true: 100_000, false: 600_000}[holiday]
		if within(date(10, 20), date(10, 20).Add(10*time.Hour)) {
			writes += 20_000_000
		}
		return writes, true
	case "VolumeBytesUsed":
		gib := map[bool]float64{true: 500, false: 700}[at.Before(date(10, 20))]
		return gib * (1 << 30), !within(date(10, 13), date(10, 13).Add(2*time.Hour))
	case "CPUUtilization":
		return 40, true
	case "samples": // of both instances together, one a minute
		if at.Before(date(9, 28)) {
			return 60, true
		}
		return 120, true
	default: // ServerlessDatabaseCapacity
		return 2, !at.Before(date(9, 28))
	}
}

// shopSeries holds the metrics with their labels.
var shopSeries = [][2]string{
	{"VolumeReadIOPs", "VolumeReadIOPs Sum shop"}, {"VolumeWriteIOPs", "VolumeWriteIOPs Sum shop"},
	{"VolumeBytesUsed", "VolumeBytesUsed Average shop"},
	{"CPUUtilization", "CPUUtilization Average shop-1"},
	{"ServerlessDatabaseCapacity", "ServerlessDatabaseCapacity Average shop-2"},
	{"samples", "CPUUtilization SampleCount shop"},
}

// exportedShop returns the output of aws cloudwatch get-metric-data for it, without blanks.
func exportedShop(t *testing.T) []byte {
	t.Helper()
	var results []map[string]any
	for i, series := range shopSeries {
		times, values := []string{}, []float64{}
		for h := range shop().hours {
			if v, there := shop().value(series[0], h); there {
				times, values = append(times,
					shop().begin.Add(time.Duration(h)*time.Hour).Format("2006-01-02T15:04:05-07:00")), append(values, v)
			}
		}
		results = append(results, map[string]any{"Id": "m" + string(rune('0'+i)), "Label": series[1],
			"Timestamps": times, "Values": values, "StatusCode": "Complete"})
	}
	text, err := json.Marshal(map[string]any{"MetricDataResults": results, "Messages": []any{}})
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// auroraCost runs the command at noon of 2026-10-26.
func auroraCost(t *testing.T, args ...string) (out, said string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := command.Env{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Getenv: os.Getenv, Now: func() time.Time {
		return date(10, 26).Add(12 * time.Hour)
	}}
	code = Main(env, append([]string{"aws", "cost"}, args...))
	return stdout.String(), stderr.String(), code
}

// comparison decodes the JSON answer.
func comparison(t *testing.T, wantCode int, args ...string) billing.Comparison {
	t.Helper()
	out, said, code := auroraCost(t, append(args, "--format", "json")...)
	var c billing.Comparison
	if err := json.Unmarshal([]byte(out), &c); err != nil || code != wantCode {
		t.Fatalf("%v: exit status %d, want %d: %v\n%s%s", args, code, wantCode, err, out, said)
	}
	return c
}

func cents(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) < 0.005) {
		t.Errorf("%s: %.4f, want %.2f", what, got, want)
	}
}

// TestAuroraCostByHand computes the bill of the invented cluster by hand: hours times amounts times prices.
func TestAuroraCostByHand(t *testing.T) {
	t.Parallel()
	file := shopFiles + "metrics.json"
	if *update {
		if err := os.WriteFile(file, exportedShop(t), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if shipped, err := os.ReadFile(file); err != nil || !bytes.Equal(shipped, exportedShop(t)) {
		t.Fatalf("%s is not what this test describes (%v): go test -update writes it", file, err)
	}
	c := comparison(t, command.ExitDone, "--from", file, "--from", shopFiles+"instances.json", "--from", shopFiles+
		"cluster.json", "--price", shopFiles+"prices.json")

	september, october := c.Months[0], c.Months[1]
	// 10 days of 2.1 million operations an hour, at 0.20 a million
	cents(t, "I/O in September", september.IO, 240*2.1*0.20)
	// shop-1 all the time, shop-2 for three days with 2 capacity units
	cents(t, "compute in September, Standard", september.Compute.Standard, 240*0.26+72*2*0.12)
	cents(t, "compute in September, I/O-Optimized", september.Compute.Optimized, 240*0.338+72*2*0.16)
	cents(t, "storage in September, Standard", september.Storage.Standard, 500*240/720.0*0.10)
	cents(t, "storage in September, I/O-Optimized", september.Storage.Optimized, 500*240/720.0*0.225)
	cents(t, "September, Standard", september.Total.Standard, 197.15)
	cents(t, "September, I/O-Optimized", september.Total.Optimized, 141.66)

	// 25 days without four hours: 7 days of 0.3 million an hour, the others of 2.1, and 200 million for the restore
	if october.Hours != 600 || october.Compared != 596 || october.Days != 24 {
		t.Errorf("October has %d hours, %d compared, in %d whole days", october.Hours, october.Compared, october.Days)
	}
	cents(t, "I/O in October", october.IO, (168*0.3+428*2.1+200)*0.20)
	cents(t, "compute in October, Standard", october.Compute.Standard, 596*(0.26+2*0.12))
	cents(t, "compute in October, I/O-Optimized", october.Compute.Optimized, 596*(0.338+2*0.16))
	cents(t, "storage in October, Standard", october.Storage.Standard, (452*500+144*700)/744.0*0.10)
	cents(t, "storage in October, I/O-Optimized", october.Storage.Optimized, (452*500+144*700)/744.0*0.225)
	cents(t, "October, Standard", october.Total.Standard, 571.76)
	cents(t, "October, I/O-Optimized", october.Total.Optimized, 491.00)

	cents(t, "all, Standard", c.Whole.Total.Standard, 197.15+571.76)
	cents(t, "the break-even of October", october.BreakEven, (392.168-298.00)+1.25*43.9247)
	if c.Whole.Beyond != 27 || c.Whole.Days != 34 || october.Beyond != 17 {
		t.Errorf("%d of %d days lie beyond the break-even, %d of October; want 27 of 34: all but the holiday week "+
			"and the day with a hole, and 17", c.Whole.Beyond, c.Whole.Days, october.Beyond)
	}
	// the restore's day: 250.4 million operations, and 24 hours of the rest
	cents(t, "the highest day", october.Spread.Highest, 250.4*0.20-24*(0.078+2*0.04)-1.25*700*24/744*0.10)
	cents(t, "the lowest day", october.Spread.Lowest, 7.2*0.20-24*(0.078+2*0.04)-1.25*500*24/744*0.10)
	cents(t, "saved a month", c.Verdict.Saves, (768.914-632.663)/836*730)
	cents(t, "staying on Standard", c.Switching.Stay.Standard, c.Whole.Total.Standard)
	cents(t, "staying on I/O-Optimized", c.Switching.Stay.Optimized, c.Whole.Total.Optimized)
	if c.Verdict.Cheaper != billing.Optimized || c.Verdict.Sure ||
		!strings.Contains(c.Verdict.Why, "seven-day stretches say otherwise") {
		t.Errorf("the verdict %+v", c.Verdict)
	}
	if c.Now != billing.Standard || c.NextSwitch == nil || c.Cluster != "shop" {
		t.Errorf("it is %q, %q, %v", c.Cluster, c.Now, c.NextSwitch)
	}
}

// TestAuroraCostBreakEven: at the break-even amount both configurations cost the same.
func TestAuroraCostBreakEven(t *testing.T) {
	t.Parallel()
	at := func(reads, gib string) billing.Comparison {
		t.Helper()
		return comparison(t, command.ExitDone, "--month", "reads="+reads+",writes=0,gib="+gib, "--class",
			"db.r6g.large", "--class", "db.r6g.xlarge", "--region", "ap-northeast-1")
	}
	c := at("3e9", "800")
	// by the prices of Tokyo: 0.407 of 0.313 an hour and 0.815 of 0.627, 0.27 of 0.12 a GiB
	cents(t, "break-even", c.Whole.BreakEven, 730*(0.094+0.188)+800*0.15)
	cents(t, "in operations", c.Turns[0].At, (730*(0.094+0.188)+800*0.15)/0.24)
	for what, turned := range map[string]billing.Comparison{
		"I/O": at(format(c.Turns[0].At*1e6), "800"), "storage": at("3e9", format(c.Turns[1].At)),
	} {
		cents(t, what+" at its turn", turned.Whole.Total.Saved(), 0)
	}
}

func format(v float64) string {
	text, _ := json.Marshal(v) // all of its digits
	return string(text)
}

// TestAuroraCostOfAWSExample: AWS's own example of two r6g.2xlarge, 800 GiB and 1.2 billion operations a month.
func TestAuroraCostOfAWSExample(t *testing.T) {
	t.Parallel()
	c := comparison(t, command.ExitDone, "--month", "reads=1.2e9,writes=0,gib=800", "--class", "db.r6g.2xlarge",
		"--class", "db.r6g.2xlarge", "--price", shopFiles+"prices.json")
	cents(t, "Standard", c.Whole.Total.Standard, 2*1.038*730+80+240)
	cents(t, "I/O-Optimized", c.Whole.Total.Optimized, 2*1.3494*730+180)
	if c.Verdict.Cheaper != billing.Standard {
		t.Errorf("%+v", c.Verdict)
	}
	// one of the two reserved: on I/O-Optimized it covers 1/1.3 of an instance
	r := comparison(t, command.ExitDone, "--month", "reads=1.2e9,writes=0,gib=800", "--class", "db.r6g.2xlarge",
		"--class", "db.r6g.2xlarge", "--reserved", "db.r6g.2xlarge=1", "--price", shopFiles+"prices.json")
	cents(t, "Standard, one reserved", r.Whole.Compute.Standard, 1.038*730)
	cents(t, "I/O-Optimized, one reserved", r.Whole.Compute.Optimized, (2-1/1.3)*1.3494*730)
}

// TestAuroraCostOfORD: the month that the Open Reaction Database published: 2.43 billion reads, and nothing else.
func TestAuroraCostOfORD(t *testing.T) {
	t.Parallel()
	c := comparison(t, command.ExitCannotTell, "--month", "reads=2.43e9")
	cents(t, "reads", c.Items[0].Cost.Standard, 486)
	for _, item := range c.Items[1:] {
		if item.Missing == "" || item.Hours != 0 {
			t.Errorf("%+v is known", item)
		}
	}
	out, _, _ := auroraCost(t, "--month", "reads=2.43e9")
	for _, want := range []string{"is unknown", "486", "VolumeBytesUsed", "--class"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "By month") || c.Verdict.Cheaper != "" {
		t.Errorf("it compares:\n%s", out)
	}
}

// TestAuroraCostFromCloudWatch: asking a stand-in for AWS, and answering our query with
// the aws program, give the same.
func TestAuroraCostFromCloudWatch(t *testing.T) {
	s := accounttest.Start(t)
	s.Setenv(t)
	to := time.Now().Add(-time.Hour).UTC().Truncate(time.Hour)
	from := to.Add(-10 * 24 * time.Hour)
	plantShop(t, s, from, 2)
	run := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		env := command.Env{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Getenv: os.Getenv,
			Now: func() time.Time {
				return to.Add(time.Hour)
			}}
		if code := Main(env, append([]string{"aws", "cost", "--region", accounttest.Region}, args...)); code !=
			command.ExitDone {
			t.Fatalf("%v: exit status %d: %s", args, code, &stderr)
		}
		return stdout.String()
	}
	prices := regionPrices(t)
	var asked, read billing.Comparison
	if err := json.Unmarshal([]byte(run("--cluster", "shop", "--for", "10d", "--price", prices, "--format", "json")),
		&asked); err != nil {
		t.Fatal(err)
	}
	cents(t, "I/O", asked.Whole.IO, 240*2.1*0.20)
	cents(t, "compute", asked.Whole.Compute.Standard, 240*(0.26+2*0.12))
	if asked.Whole.Compared != 240 || len(asked.Warnings) != 1 { // that 10 days are few
		t.Errorf("%d hours, warnings %q", asked.Whole.Compared, asked.Warnings)
	}
	query := run("--query", "--cluster", "shop", "--for", "10d", "--instance", "shop-1=db.r6g.large", "--instance",
		"shop-2=db.serverless")
	metrics := filepath.Join(t.TempDir(), "metrics.json")
	if err := os.WriteFile(metrics, answerOf(t, s, query), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(run("--from", metrics, "--instance", "shop-1=db.r6g.large", "--price", prices,
		"--format", "json")), &read); err != nil {
		t.Fatal(err)
	}
	asked.Now = ""
	if diff := cmp.Diff(asked, read, cmp.AllowUnexported(billing.Comparison{}, billing.Day{})); diff != "" {
		t.Errorf("(-asked +read):\n%s", diff)
	}
}

// TestAuroraCostOfReadersThatAreGone: the samples show three instances all the time, but AWS knows only two. There is
// no answer until the user describes the third; then it costs 0.26 and 0.338 an hour more.
func TestAuroraCostOfReadersThatAreGone(t *testing.T) {
	s := accounttest.Start(t)
	s.Setenv(t)
	to := time.Now().Add(-time.Hour).UTC().Truncate(time.Hour)
	from := to.Add(-10 * 24 * time.Hour)
	plantShop(t, s, from, 9)
	run := func(wantCode int, args ...string) (billing.Comparison, string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		env := command.Env{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Getenv: os.Getenv,
			Now: func() time.Time {
				return to.Add(time.Hour)
			}}
		args = append([]string{"aws", "cost", "--region", accounttest.Region, "--cluster", "shop", "--for", "10d",
			"--price", regionPrices(t)}, args...)
		if code := Main(env, args); code != wantCode {
			t.Fatalf("%v: exit status %d: %s", args, code, &stderr)
		}
		var c billing.Comparison
		_ = json.Unmarshal(stdout.Bytes(), &c)
		return c, strings.Join(strings.Fields(stdout.String()), " ")
	}
	_, text := run(command.ExitCannotTell)
	if want := "shop: which costs less, Standard or I/O-Optimized, is unknown: 1,680 hours of unnamed instances " +
		"are left out"; !strings.HasPrefix(text, want) {
		t.Errorf("it begins %.200s, want %s", text, want)
	}
	args := []string{"--format", "json"}
	for i := range 7 {
		args = append(args, "--instance", fmt.Sprintf("r%d=db.r6g.large@%s..%s", i, from.Format("2006-01-02T15:04"),
			to.Format(time.RFC3339)))
	}
	told, _ := run(command.ExitDone, args...)
	cents(t, "compute, Standard", told.Whole.Compute.Standard, 240*(8*0.26+2*0.12))
	cents(t, "compute, I/O-Optimized", told.Whole.Compute.Optimized, 240*(8*0.338+2*0.16))
	if told.Verdict.Cheaper != billing.Standard {
		t.Errorf("%+v", told.Verdict)
	}
}

// TestAuroraCostOfUselessDescriptions: descriptions without a name would be charged twice, and a cluster that is not
// Aurora's has no configurations.
func TestAuroraCostOfUselessDescriptions(t *testing.T) {
	t.Parallel()
	const shipped = "../../testdata/aurora-cost/"
	for _, c := range []struct{ file, old, spoiled, says string }{
		{"instances.json", `"DBInstanceIdentifier": "shop-2",`, "",
			"an instance has no DBInstanceIdentifier"},
		{"cluster.json", `"DBClusterIdentifier": "shop",`, "", "a cluster has no DBClusterIdentifier"},
		{"cluster.json", `"aurora-postgresql"`, `"postgres"`,
			"cluster shop runs postgres; only Aurora has the two configurations"},
		{"cluster.json", `"aurora-postgresql"`, `"aurora-mysql"`,
			"cluster shop runs aurora-mysql; the prices here are Aurora PostgreSQL's"},
		{"instances.json", `"aurora-postgresql"`, `"aurora-mysql"`,
			"instance shop-1 runs aurora-mysql; the prices here are Aurora PostgreSQL's"},
	} {
		text, err := os.ReadFile(shipped + c.file)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), c.file)
		if !strings.Contains(string(text), c.old) {
			t.Fatalf("%s has no %s", c.file, c.old)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), c.old, c.spoiled, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"--from", shipped + "metrics.json", "--from", file}
		for _, other := range []string{"instances.json", "cluster.json"} {
			if other != c.file {
				args = append(args, "--from", shipped+other)
			}
		}
		if out, said, code := auroraCost(t, args...); code != command.ExitUsage || !strings.Contains(said, c.says) {
			t.Errorf("%s without %s: exit status %d: %s%s", c.file, c.old, code, out, said)
		}
	}
}

// TestAuroraCostSaysWhoseRegionsPrices: prices are those of the instances' region; if it is
// unknown, the answer begins with that.
func TestAuroraCostSaysWhoseRegionsPrices(t *testing.T) {
	const dir = "../../testdata/aurora-cost/"
	described, err := os.ReadFile(dir + "instances.json")
	if err != nil {
		t.Fatal(err)
	}
	placed := filepath.Join(t.TempDir(), "placed.json")
	text := strings.ReplaceAll(string(described), `"StorageType"`, `"AvailabilityZone": "eu-west-1b", "StorageType"`)
	if err := os.WriteFile(placed, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	files := []string{"--from", dir + "metrics.json", "--from", dir + "instances.json"}
	month := []string{"--month", "reads=2e9,writes=9e6,gib=800", "--class", "db.r6g.large"}
	for _, c := range []struct {
		args   []string
		region string
		said   bool
	}{
		{files, "us-east-1", true},
		{month, "us-east-1", true},
		{append(month[:4:4], "--region", "us-east-1"), "us-east-1", false},
		{[]string{"--from", dir + "metrics.json", "--from", placed}, "eu-west-1", false},
		{[]string{"--from", dir + "metrics.json", "--from", placed, "--region", "us-east-1"}, "us-east-1", false},
		{append(files[:4:4], "--price", dir+"prices.json"), "us-east-1", false},
	} {
		got := comparison(t, command.ExitDone, c.args...)
		said := slices.Contains(got.Warnings, "The cluster's region is unknown; these are the prices of us-east-1. Name "+
			"another with --region.")
		if got.Region != c.region || said != c.said {
			t.Errorf("%v: prices of %s, warnings %q", c.args, got.Region, got.Warnings)
		}
	}
}

// regionPrices writes a file with the cluster's prices for the stand-in's region.
func regionPrices(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(shopFiles + "prices.json")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "prices.json")
	if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte("us-east-1"), []byte(accounttest.Region)),
		0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestAuroraCostByRegion: the built-in prices answer for usual classes and regions unless an inferred price
// decides, and name what was inferred.
func TestAuroraCostByRegion(t *testing.T) {
	t.Parallel()
	for _, region := range []string{"us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1", "sa-east-1",
		"eu-west-1", "eu-west-2", "eu-west-3",
		"eu-central-1", "eu-north-1", "ap-south-1", "ap-southeast-1", "ap-southeast-2", "ap-northeast-1",
		"ap-northeast-2"} {
		for _, class := range []string{"db.r5.large", "db.r6g.4xlarge", "db.r7g.2xlarge", "db.r8g.xlarge",
			"db.t4g.medium"} {
			much := comparison(t, command.ExitDone, "--month", "reads=9e10,writes=1e9,gib=500", "--class", class,
				"--region", region)
			little := comparison(t, command.ExitDone, "--month", "reads=1e6,writes=1e6,gib=500", "--class", class,
				"--region", region)
			if much.Verdict.Cheaper != billing.Optimized || little.Verdict.Cheaper != billing.Standard ||
				much.Verdict.Sure {
				t.Errorf("%s in %s: %+v, %+v", class, region, much.Verdict, little.Verdict)
			}
		}
	}
	// a billion operations at 0.20, 0.078 an hour more for the instance, and 12.50 for
	// 100 GiB, all listed for us-east-1
	known := comparison(t, command.ExitDone, "--month", "reads=1e9,writes=0,gib=100", "--class", "db.r6g.large")
	cents(t, "saved in us-east-1", known.Verdict.Saves, 200-730*0.078-12.5)
	for _, i := range known.Items {
		if i.Inferred != "" || len(i.Sources) == 0 {
			t.Errorf("%s is inferred (%s) or has no source", i.What, i.Inferred)
		}
	}
	// in Oregon 347 million operations at the inferred 0.20 are close to 730 x 0.078 + 12.50
	args := []string{"--month", "reads=3.47e8,writes=0,gib=100", "--class", "db.r6g.large", "--region", "us-west-2"}
	if close := comparison(t, command.ExitCannotTell, args...); !strings.Contains(close.Verdict.Why,
		"inferred, and within these bounds either could cost less: realiops prices aws --region us-west-2") {
		t.Errorf("%+v", close.Verdict)
	}
	out, _, _ := auroraCost(t, "--month", "reads=9e9,writes=1e9,gib=500", "--class", "db.r6g.large",
		"--region", "us-west-2")
	for _, want := range []string{"Inferred: reads from us-east-1", "db.r6g.large I/O-Optimized as 1.300 of Standard",
		"2021-03-30"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	// for a region without a price list, the text names the missing prices
	out, _, code := auroraCost(t, "--month", "reads=1e9,writes=0,gib=100", "--class", "db.r6g.large", "--region",
		"il-central-1")
	if text := strings.Join(strings.Fields(out), " "); code != command.ExitCannotTell ||
		!strings.Contains(text, "realiops prices aws --region il-central-1") {
		t.Errorf("exit status %d: %s", code, out)
	}
}

// TestInstancesThatCameAndWent: temporary instances have one syntax.
func TestInstancesThatCameAndWent(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"r", "=db.r6g.large", "r=large", "r=db.r6g.large@", "r=db.r6g.large@2026-10-01",
		"=db.r6g.large@2026-10-01..2026-10-02", "r=large@2026-10-01..2026-10-02",
		"r=db.r6g.large@2026-10-02..2026-10-01", "r=db.r6g.large@2026-10-32..2026-11-01",
		"r=db.serverless@2026-10-01..2026-10-02"} {
		_, said, code := auroraCost(t, "--from", shopFiles+"metrics.json", "--instance", text)
		if code != command.ExitUsage || !strings.Contains(said, "--instance "+text+
			": want NAME=CLASS or NAME=CLASS@FROM..TO") || strings.Count(said, "\n") != 1 {
			t.Errorf("%q: exit status %d: %s", text, code, said)
		}
	}
}

// TestAuroraCostDenied: a denied call ends the command, with the missing permission.
func TestAuroraCostDenied(t *testing.T) {
	s := accounttest.Start(t)
	plantShop(t, s, time.Now().Add(-240*time.Hour).UTC().Truncate(time.Hour), 2)
	through, proxy := s.Proxy(t)
	through.Setenv(t)
	proxy.On("GetMetricData", accounttest.Denied())
	out, said, code := auroraCost(t, "--cluster", "shop", "--region", accounttest.Region)
	if code != command.ExitUsage || out != "" || !strings.Contains(said,
		"AWS does not allow these credentials cloudwatch:GetMetricData") || strings.Contains(said, "123456789012") {
		t.Errorf("exit status %d: %s%s", code, out, said)
	}
}

// plantShop creates the cluster, and ten days of its first week with samples of that many instances.
func plantShop(t *testing.T, s *accounttest.StandIn, from time.Time, instances float64) {
	t.Helper()
	const of = "DBClusterIdentifier=shop&Engine=aurora-postgresql"
	s.Create(t, "CreateDBCluster", of)
	for _, one := range []struct{ name, class string }{{"shop-1", "db.r6g.large"}, {"shop-2", "db.serverless"}} {
		// the first is the writer
		s.Create(t, "CreateDBInstance", "DBInstanceIdentifier="+one.name+"&"+of+"&DBInstanceClass="+one.class+
			"&EnablePerformanceInsights=true")
	}
	for _, series := range shopSeries {
		words := strings.Fields(series[1])
		one := accounttest.Series{Namespace: "AWS/RDS", Metric: words[0], From: from, Step: time.Hour,
			Dimensions: map[string]string{"DBClusterIdentifier": words[2]}}
		if words[2] != "shop" {
			one.Dimensions = map[string]string{"DBInstanceIdentifier": words[2]}
		}
		for range 240 {
			v, there := shop().value(series[0], 0)
			if !there {
				v = 2
			}
			one.Values = append(one.Values, v)
		}
		if words[1] == "SampleCount" {
			one.Times = 60 * instances
		}
		s.Put(t, one)
	}
}

// answerOf sends our query through AWS's SDK, and returns the answer as its command line would write it.
func answerOf(t *testing.T, s *accounttest.StandIn, question string) []byte {
	t.Helper()
	var in cloudwatch.GetMetricDataInput
	d := json.NewDecoder(strings.NewReader(question))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		t.Fatalf("AWS knows no such question: %v\n%s", err, question)
	}
	for _, q := range in.MetricDataQueries {
		if !regexp.MustCompile(`^[a-z][a-zA-Z0-9_]*$`).MatchString(aws.ToString(q.Id)) {
			t.Errorf("AWS takes no Id like %s", *q.Id)
		}
	}
	out, err := cloudwatch.NewFromConfig(s.Config()).GetMetricData(t.Context(), &in)
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.MetricDataResults { // AWS's default labels
		out.MetricDataResults[i].Label = in.MetricDataQueries[i].Label
	}
	text, err := json.Marshal(map[string]any{"MetricDataResults": out.MetricDataResults, "Messages": out.Messages})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
