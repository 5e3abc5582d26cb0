package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/collect"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/accounttest"
)

// TestCollectNamesLostData: after some attempts, data that CloudWatch never had is reported to the waiting user.
func TestCollectNamesLostData(t *testing.T) {
	accounttest.Start(t).Setenv(t)
	path := filepath.Join(t.TempDir(), "run.jsonl")
	measured(t, path, "Shop-1", time.Now().AddDate(0, 0, -1).UTC().Truncate(time.Hour))
	var said bytes.Buffer
	code := Main(command.Env{In: strings.NewReader(""), Out: io.Discard, Err: &said, Getenv: os.Getenv, Now: hurried(),
		Width: func() int {
			return 80
		}}, []string{"aws", "collect", path, "--progress", "none"})
	for _, want := range []string{"CloudWatch has no points of ", " of the instance Shop-1 in " + accounttest.Region} {
		if !strings.Contains(said.String(), want) || code != command.ExitFailed {
			t.Errorf("exit code %d, said %q, want %q", code, said.String(), want)
		}
	}
}

// hurried is a clock whose minutes take less than a second, so that requests lie minutes apart. Each reading advances
// it by a quarter of a minute, so that retries do not wait.
func hurried() func() time.Time {
	begun := time.Now()
	var looks atomic.Int64
	return func() time.Time {
		return begun.Add(100*time.Since(begun) + time.Duration(looks.Add(1))*collect.DefaultRules().Again)
	}
}

// TestCollectKeepsNoSecrets: neither AWS's answers nor the credentials get into the run file or the messages.
func TestCollectKeepsNoSecrets(t *testing.T) {
	account := accounttest.Start(t)
	const number, role = "123456789012", "210987654321"
	environment := account.Environment()
	planted := []string{environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"], "planted-session-token",
		number, role}
	at := time.Now().Add(-4 * time.Hour).UTC().Truncate(time.Hour)
	check := func(operation string, fault accounttest.Fault, says string, more ...string) {
		t.Helper()
		s, proxy := account.Proxy(t)
		s.Setenv(t)
		t.Setenv("AWS_SESSION_TOKEN", "planted-session-token")
		proxy.On(operation, fault)
		path := filepath.Join(t.TempDir(), "run.jsonl")
		measured(t, path, "shop-1", at)
		var said bytes.Buffer
		Main(command.Env{In: strings.NewReader(""), Out: &said, Err: &said, Getenv: os.Getenv, Now: hurried(),
			Width: func() int {
				return 80
			}}, append([]string{"aws", "collect", path, "--progress", "plain"}, more...))
		file, err := os.ReadFile(path)
		if err != nil || !strings.Contains(said.String(), says) {
			t.Errorf("%v, %q is not said: %s", err, says, &said)
		}
		for _, secret := range planted {
			if secret == "" || strings.Contains(said.String()+string(file), secret) {
				t.Errorf("%q is shown by %s\n%s%s", secret, more, &said, file)
			}
		}
	}
	const assume, get = "AssumeRole", "GetMetricData"
	check(get, nil, "AWS was asked")
	check(get, accounttest.Denied(), "AWS does not allow these credentials")
	check(get, accounttest.Expired(), "the credentials have expired")
	check(get, accounttest.Refused(http.StatusBadRequest, "Strange", "arn:aws:cloudwatch:eu-central-1:"+number+
		":alarm of the account "+number), "Strange")
	check(assume, accounttest.Denied(), "AWS does not let these credentials assume the role", "--role", "arn:aws:iam::"+
		role+":role/reader")
}

// TestCollectOnEC2: for a self-managed server, CloudWatch has its volume's metrics and the whole machine's.
func TestCollectOnEC2(t *testing.T) {
	s := accounttest.Start(t)
	s.Setenv(t)
	at := time.Now().Add(-4 * time.Hour).UTC().Truncate(time.Hour)
	tells := func(namespace, metric, dimension, of string, step time.Duration, value float64) {
		s.Put(t, accounttest.Series{Namespace: namespace, Metric: metric, Dimensions: map[string]string{dimension: of},
			// a constant series tells nothing
			From: at, Step: step, Values: slices.Repeat([]float64{value - 1, value + 1}, int(time.Hour/step)/2)})
	}
	tells("AWS/EBS", "VolumeWriteOps", "VolumeId", "vol-1", time.Minute, 500)
	tells("AWS/EC2", "EBSWriteOps", "InstanceId", "i-1", 5*time.Minute, 5000)
	path := filepath.Join(t.TempDir(), "run.jsonl")
	measuredOn(t, path, runfile.Cloud{Provider: "aws", Region: accounttest.Region, Volumes: []string{"vol-1"},
		Machine: "i-1"}, at,
		runfile.Metric{Name: "cloudwatch/VolumeWriteOps", Unit: "operations", Type: runfile.CountPerPeriod, Period: 60},
		runfile.Metric{Name: "cloudwatch/EBSWriteOps", Unit: "operations", Type: runfile.CountPerPeriod, Period: 300})
	var out, said bytes.Buffer
	Main(command.Env{In: strings.NewReader(""), Out: &out, Err: &said, Getenv: os.Getenv, Now: time.Now,
		Width: func() int {
			return 80
		}}, []string{"aws", "collect", path, "--progress", "none", "--format", "json"})
	var r report.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v: %s", err, &said)
	}
	got := map[string]float64{}
	for _, m := range r.Metrics {
		if amount := m.Loads[0].PerSecond; amount.Missing == nil {
			got[m.Metric] = math.Round(amount.Value * 60)
		}
	}
	want := map[string]float64{"cloudwatch/VolumeWriteOps": 500, "cloudwatch/EBSWriteOps": 1000} // a minute
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s%s", diff, &said)
	}
}

// measured writes the run file of a load on an RDS instance, without CloudWatch's data.
func measured(t *testing.T, path, instance string, at time.Time) {
	t.Helper()
	measuredOn(t, path, runfile.Cloud{
		Provider: "aws", Region: accounttest.Region, Instance: instance, Engine: "postgres", Class: "db.m6g.large",
		Storage: "gp3"}, at,
		runfile.Metric{Name: "cloudwatch/WriteIOPS", Unit: "operations", Type: runfile.Rate, Period: 60})
}

func measuredOn(t *testing.T, path string, cloud runfile.Cloud, at time.Time, metrics ...runfile.Metric) {
	t.Helper()
	w, err := runfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	load := runfile.Load{Name: "bulk", Method: "copy", RowsPerTx: 1000, Clients: 1}
	records := []runfile.Record{
		runfile.Run{Schema: runfile.Schema, ID: "made", Start: at, Target: runfile.Target{Kind: "dsn", Flavor: "rds",
			Cloud: &cloud},
			Plan: runfile.Plan{Loads: []runfile.Load{load}, Repetitions: 1, LoadSeconds: 1200}},
		runfile.LoadEvent{At: at, Load: "bulk", Repetition: 1, Event: runfile.Begin},
		runfile.Work{From: at, To: at.Add(20 * time.Minute), Load: "bulk", Repetition: 1, Transactions: 10,
			Statements: 10, Rows: 10_000},
		runfile.LoadEvent{At: at.Add(20 * time.Minute), Load: "bulk", Repetition: 1, Event: runfile.End},
		runfile.Ended{At: at.Add(21 * time.Minute), Status: runfile.Complete},
	}
	for _, m := range metrics {
		records = slices.Insert(records, 1, runfile.Record(m))
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
