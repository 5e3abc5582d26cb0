package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/accounttest"
)

// sizedOf returns the result of realiops size for a file.
func sizedOf(t *testing.T, path string, args ...string) sizes.Size {
	t.Helper()
	var s sizes.Size
	out, _ := runs(t, command.ExitDone, append([]string{"size", path, "--format", "json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// minute returns the test instance's reads and writes per second in a minute of its history: a
// sawtooth that rises for 200 minutes.
func minute(i int) (reads, writes float64) { return float64(i % 200), 2 * float64(i%200) }

// TestHistoryOfCloudWatch asks a stand-in for AWS about an RDS instance. Its size follows from the planted minutes,
// and the aws program's answer to our query gives the same.
func TestHistoryOfCloudWatch(t *testing.T) {
	s := accounttest.Start(t)
	s.Setenv(t)
	const hours = 20
	to := time.Now().Add(-time.Hour).UTC().Truncate(time.Hour)
	from := to.Add(-hours * time.Hour)
	s.Create(t, "CreateDBInstance", "DBInstanceIdentifier=orders&Engine=postgres&DBInstanceClass=db.m5.large&"+
		"AllocatedStorage=500&StorageType=gp3")
	const each = 8192
	values := map[string][]float64{}
	for i := range hours * 60 {
		reads, writes := minute(i)
		for metric, v := range map[string]float64{"ReadIOPS": reads, "WriteIOPS": writes,
			"ReadThroughput": reads * each, "WriteThroughput": writes * each} {
			values[metric] = append(values[metric], v)
		}
	}
	for metric, v := range values {
		s.Put(t, accounttest.Series{Namespace: "AWS/RDS", Metric: metric, From: from, Step: time.Minute,
			Dimensions: map[string]string{"DBInstanceIdentifier": "orders"}, Values: v})
	}
	run := func(args ...string) (out, said string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		env := command.Env{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Getenv: os.Getenv,
			Now: func() time.Time {
				return to.Add(time.Hour)
			}}
		if code := Main(env, append([]string{"history"}, args...)); code !=
			command.ExitDone {
			t.Fatalf("%v: exit status %d: %s%s", args, code, &stdout, &stderr)
		}
		return stdout.String(), stderr.String()
	}
	asked := filepath.Join(t.TempDir(), "asked.jsonl")
	out, _ := run("--region", accounttest.Region, "--instance", "orders", "--for", "20h", "-o", asked)
	for _, want := range []string{"from CloudWatch; observed for 20 h", "so there are no verdicts"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("%q is not in %s", want, out)
		}
	}
	size := sizedOf(t, asked, "--gib", "500", "--on", "rds")
	need := size.Needs[0]
	mean := func(of func(reads, writes float64) float64) float64 {
		sum := 0.0
		for i := range hours * 60 {
			sum += of(minute(i))
		}
		return sum / (hours * 60)
	}
	// of 1,200 minutes, six of each value, the 1,188th is two below the most
	cents(t, "the 99th percentile", need.P99.Requests(), 3*197)
	cents(t, "the highest minute", need.PeakSecond.Requests(), 3*199)
	cents(t, "the mean of reads", need.Mean.Reads, mean(func(r, _ float64) float64 { return r }))
	cents(t, "bytes of each", need.Mean.Bytes()/need.Mean.Requests(), each)
	if need.Each != 60 || need.Seconds != hours*60 || size.Sized.Basis != "p99" || len(size.Needs) != 1 {
		t.Errorf("%+v %+v", need, size.Sized)
	}
	query := filepath.Join(t.TempDir(), "answer.json")
	question, _ := run("--query", "--instance", "orders", "--for", "20h")
	if err := os.WriteFile(query, answerOf(t, s, question), 0o600); err != nil {
		t.Fatal(err)
	}
	read := filepath.Join(t.TempDir(), "read.jsonl")
	run(query, "--flavor", "rds", "-o", read)
	again := sizedOf(t, read, "--gib", "500", "--on", "rds")
	if diff := cmp.Diff(size.Needs, again.Needs); diff != "" {
		t.Errorf("(-asked +read):\n%s", diff)
	}
	if math.Abs(again.Options[0].GiB-500) > 0 || again.Options[0].Volume != size.Options[0].Volume {
		t.Errorf("%+v, want %+v", again.Options[0], size.Options[0])
	}
	mixed := filepath.Join(t.TempDir(), "mixed.jsonl")
	if err := os.WriteFile(query, inMixedPeriods(t, from, hours), 0o600); err != nil {
		t.Fatal(err)
	}
	run(query, "--flavor", "rds", "-o", mixed)
	size = sizedOf(t, mixed, "--gib", "500", "--on", "rds", "--percentile", "100")
	// Writes come in five minutes: a mean of five values two apart. Of the reads in them the highest minute counts.
	cents(t, "the highest five minutes", size.Sized.Rate.Requests(), 199+2*197)
	cents(t, "their bytes", size.Sized.Rate.Bytes(), each*(199+2*197))
	if need := size.Needs[0]; need.Each != 300 || need.Seconds != hours*12 {
		t.Errorf("%+v", need)
	}
	unknown := filepath.Join(t.TempDir(), "unknown.jsonl")
	if err := os.WriteFile(query, answerOf(t, s, question), 0o600); err != nil {
		t.Fatal(err)
	}
	run(query, "-o", unknown)
	if _, said := runs(t, command.ExitUsage, "size", unknown); !strings.Contains(said, "whether it is RDS or Aurora") {
		t.Errorf("without its flavor: %s", said)
	}
	if out, _ := runs(t, command.ExitDone, "report", unknown); !strings.HasPrefix(out, "What storage did is unknown") ||
		strings.Contains(out, "realiops size") {
		t.Errorf("without its flavor: %s", out)
	}
}

// inMixedPeriods returns the aws program's output for the same data, with minutes of
// reads and five minutes of writes.
func inMixedPeriods(t *testing.T, from time.Time, hours int) []byte {
	t.Helper()
	type result struct {
		Id, Label  string
		Timestamps []time.Time
		Values     []float64
	}
	var all []result
	for k, metric := range []string{"ReadIOPS", "ReadThroughput", "WriteIOPS", "WriteThroughput"} {
		r, length := result{Id: fmt.Sprintf("m%d", k), Label: metric + " Average orders"}, 1
		if k >= 2 {
			length = 5
		}
		for i := 0; i < hours*60; i += length {
			sum := 0.0
			for j := range length {
				reads, writes := minute(i + j)
				sum += []float64{reads, reads * 8192, writes, writes * 8192}[k]
			}
			r.Timestamps, r.Values = append(r.Timestamps, from.Add(time.Duration(i)*time.Minute)),
				append(r.Values, sum/float64(length))
		}
		all = append(all, r)
	}
	text, err := json.Marshal(map[string]any{"MetricDataResults": all})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestHistoryOfACluster: an Aurora cluster's history is its writer's, and has no volume's size.
func TestHistoryOfACluster(t *testing.T) {
	s := accounttest.Start(t)
	s.Setenv(t)
	to := time.Now().Add(-time.Hour).UTC().Truncate(time.Hour)
	plantShop(t, s, to.Add(-240*time.Hour), 2)
	path := filepath.Join(t.TempDir(), "shop.jsonl")
	out, _ := runs(t, command.ExitDone, "history", "--region", accounttest.Region, "--cluster", "shop", "--for",
		"9d", "-o", path)
	if !strings.Contains(out, "from CloudWatch") || !strings.Contains(out, "VolumeWriteIOPs") {
		t.Error(out)
	}
	if _, said := runs(t, command.ExitUsage, "size", path); !strings.Contains(said,
		"realiops aws cost works out its cost") {
		t.Error(said)
	}
	if _, said := runs(t, command.ExitUsage, "history", "--region", accounttest.Region, "--cluster", "nobody", "-o",
		path); !strings.Contains(said, "nobody") {
		t.Error(said)
	}
}

// TestHoursAtHalfPast: CloudWatch's hours begin when the request did. The same hours, half an hour later, need the same
// storage.
func TestHoursAtHalfPast(t *testing.T) {
	t.Parallel()
	const shipped = "../../testdata/history/orders.json"
	text, err := os.ReadFile(shipped)
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	later := filepath.Join(directory, "later.json")
	if err := os.WriteFile(later, bytes.ReplaceAll(text, []byte(":00:00+00:00"), []byte(":30:00+00:00")), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []sizes.Size
	for i, file := range []string{shipped, later} {
		run := filepath.Join(directory, fmt.Sprint(i)+".jsonl")
		runs(t, command.ExitDone, "history", file, "--flavor", "rds", "-o", run)
		got = append(got, sizedOf(t, run, "--gib", "500"))
	}
	if !reflect.DeepEqual(got[0].Order, got[1].Order) || !reflect.DeepEqual(got[0].Options, got[1].Options) {
		t.Errorf("%+v, and half an hour later %+v", got[0], got[1])
	}
}
