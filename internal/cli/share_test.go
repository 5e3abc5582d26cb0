package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// telling holds values that identify the owner of a run file; a copy must not contain them.
var telling = []string{
	"db.planted.example", "planted_db", "planted_user", "planted/image", "7340000000000000001", "/planted/data",
	"planted-vg", "/mnt/planted", "/planted/backing",
	"planted-instance", "planted-cluster", "db-PLANTED", "vol-planted", "i-planted", "planted-kernel", "planted_orders",
	"insert into planted", "987654321987",
	"planted-load", "planted went wrong", "psql of planted", "planted_space", "planted.fio", "--filename=/planted",
}

// plantedRun writes a run file with all of them.
func plantedRun(t *testing.T) string {
	t.Helper()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	load := runfile.Load{Name: "planted-load", Method: "insert", RowsPerTx: 1, Job: "--filename=/planted"}
	cloud := &runfile.Cloud{
		Provider: "aws", Region: "eu-west-1", Instance: "planted-instance", Cluster: "planted-cluster",
		Resource: "db-PLANTED", Class: "db.r6g.large",
		Storage: "aurora", Volumes: []string{"vol-planted"}, Machine: "i-planted",
	}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := runfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []runfile.Record{
		runfile.Run{
			Schema: runfile.Schema, ID: "20260301-120000-plan", Start: at, Version: "v1", Parameters: map[string]string{
				"output": "/planted/data/x", "seed": "7"},
			Target: runfile.Target{
				Kind: "dsn", Flavor: "aurora", Version: "17.5", Host: "db.planted.example", Port: 5432,
				Database: "planted_db", User: "planted_user",
				Image: "planted/image", SystemIdentifier: "7340000000000000001", Cloud: cloud,
				Settings: map[string]string{"fsync": "on", "default_tablespace": "planted_space"},
				Storage: runfile.Storage{
					Directory: "/planted/data", FileSystem: "ext4", Device: "planted-vg",
					Unseen: []string{"/mnt/planted"},
					Devices: []runfile.StorageDevice{{Name: "planted-vg", Holds: []string{"data"},
						Carries: []string{"/mnt/planted"}, Backing: "/planted/backing"}},
				},
			},
			Host: runfile.Host{OS: "linux", Arch: "amd64", Kernel: "planted-kernel", CPUs: 2},
			Plan: runfile.Plan{Name: "planted.fio", Loads: []runfile.Load{
				load, {Name: "bulk", Method: "insert-select"}}, Repetitions: 1, LoadSeconds: 5},
			Baseline: &runfile.Baseline{Program: "fio 3.33", Set: "planted.fio"},
		},
		runfile.Metric{Name: "cloudwatch.planted-instance/WriteIOPS", Unit: "operations",
			Type: runfile.Rate, Period: 60},
		runfile.Gap{At: at, Probe: "cloudwatch.planted-instance", Metric: "cloudwatch.planted-instance/WriteIOPS",
			Reason: runfile.Permission, Detail: "planted went wrong"},
		runfile.LoadEvent{
			At: at, Load: "planted-load", Repetition: 1, Event: runfile.Begin, Instance: "planted-instance",
			Cloud: cloud, Factors: &load, Added: "planted went wrong",
			Others: &runfile.Others{Who: []string{"psql of planted"}},
		},
		runfile.Work{From: at, To: at.Add(time.Second), Load: "planted-load", Repetition: 1, Transactions: 1,
			Statements: 1, Rows: 1},
		runfile.Proof{At: at, Load: "planted-load", Repetition: 1, Rows: 1,
			Counter: "pgstat.tables.planted_orders/n_tup_ins", Missing: "planted went wrong"},
		runfile.Period{
			From: at, To: at.Add(time.Minute), Probe: "cloudwatch.planted-instance",
			Metric: "cloudwatch.planted-instance/WriteIOPS", Statistic: "Average", Value: 5,
			Dimensions: map[string]string{"DBInstanceIdentifier": "planted-instance"}, Fetched: at,
		},
		runfile.Top{From: at, At: at, Of: "statements", Items: []runfile.TopItem{
			{Name: "987654321987", Text: "insert into planted", Grew: map[string]float64{"calls": 1}}}},
		runfile.Top{From: at, At: at, Of: runfile.Digests, Items: []runfile.TopItem{
			{Name: "AB987654321987", Text: "select from planted", Grew: map[string]float64{"load": 1}}}},
		runfile.Top{From: at, At: at, Of: "tables", Items: []runfile.TopItem{
			{Name: "planted_orders", Grew: map[string]float64{"rows": 1}}}},
		runfile.SettingChange{At: at, Since: at, Setting: "default_tablespace", From: "planted_space", To: "x"},
		runfile.LoadEvent{At: at.Add(time.Second), Load: "planted-load", Repetition: 1, Event: runfile.End,
			Failed: "planted went wrong"},
		runfile.Ended{At: at, Status: runfile.Broken, Cause: "planted went wrong"},
	} {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestShareHidesTheOwner: the copy has no planted value, and all counters.
func TestShareHidesTheOwner(t *testing.T) {
	t.Parallel()
	path := plantedRun(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	said := mustRun(t, "share", path)
	after, err := os.ReadFile(strings.TrimSuffix(path, ".jsonl") + "-shared.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range telling {
		if !bytes.Contains(before, []byte(secret)) {
			t.Errorf("%s was not planted", secret)
		}
		if bytes.Contains(after, []byte(secret)) || strings.Contains(said, secret) {
			t.Errorf("%s is in the copy, or was said", secret)
		}
	}
	for _, kept := range []string{
		`"version":"17.5"`, `"fsync":"on"`, `"class":"db.r6g.large"`, `"value":5`, `"load":"load-1"`,
		`"cloudwatch.instance-1/WriteIOPS"`, `"instance":"instance-1"`, `"seed":"7"`,
		`"failed":"it failed"`, `"name":"bulk"`, `"who":["somebody"]`,
	} {
		if !bytes.Contains(after, []byte(kept)) {
			t.Errorf("%s is not in the copy:\n%s", kept, after)
		}
	}
	for _, want := range []string{"taken out", "attach it to an issue", "statements", "addresses"} {
		if !strings.Contains(strings.Join(strings.Fields(said), " "), want) {
			t.Errorf("share does not say %q:\n%s", want, said)
		}
	}
}

// TestSharedAgain: two copies of a run, and the copy of a copy, are identical, including the run's
// stand-in. Those of another run are not.
func TestSharedAgain(t *testing.T) {
	t.Parallel()
	path, read := plantedRun(t), func(path string) string {
		t.Helper()
		out := filepath.Join(t.TempDir(), "copy.jsonl")
		mustRun(t, "share", path, "-o", out)
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first, other := read(path), filepath.Join(t.TempDir(), "other.jsonl")
	for _, from := range []string{first, strings.Replace(first, `"id":"run-`, `"id":"20260301-120000-aaaa`, 1)} {
		if err := os.WriteFile(other, []byte(from), 0o600); err != nil {
			t.Fatal(err)
		}
		if again := read(other); (again == first) != (from == first) {
			t.Errorf("of\n%s\nthe copy is\n%s", from, again)
		}
	}
	if read(path) != first {
		t.Error("two copies of a run differ")
	}
}

// TestSharedRunSaysTheSame: the copy of a run gives the verdicts of the run.
func TestSharedRunSaysTheSame(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "copy.jsonl.zst")
	original := filepath.Join(shippedRuns, "local-pg17.jsonl.zst")
	mustRun(t, "share", original, "-o", out)
	table := func(path string) string {
		_, found, _ := strings.Cut(mustRun(t, "report", path, "--all"), "What each metric counts")
		table, _, _ := strings.Cut(found, "PHYSICAL: what")
		return table
	}
	if want, got := table(original), table(out); want == "" || want != got {
		t.Errorf("the run says\n%s\nand its copy\n%s", want, got)
	}
	if a, b := len(runfiletest.Records(t, original)), len(runfiletest.Records(t, out)); a != b {
		t.Errorf("of %d lines %d are in the copy", a, b)
	}
}
