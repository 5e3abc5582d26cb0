package runfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// everyKind returns a run file with every field of every kind filled in; TestEveryFieldIsFilled checks that.
func everyKind() []Record {
	load := Load{
		Name: "bulk", Method: "insert-select", RowsPerTx: 1000, Indexes: 2, Width: 1024, Clients: 8, TableRows: 100,
		OfRows: 50, Cold: true, MostRepetitions: 2, SynchronousCommit: "off",
		Job: "--rw=write", Depth: 16, Buffered: true, Like: "copy", But: "an index more", MoreEntries: 7,
	}
	cloud := Cloud{
		Provider: "aws", Region: "eu-west-1", Instance: "one", Cluster: "all", Role: "writer", Resource: "db-ABC",
		Engine:  "postgres",
		Version: "17.11", Class: "db.r6g.large", Storage: "io2", SizeGiB: 400, IOPS: 12000, ThroughputMiB: 500,
		LogVolume: true,
		MultiAZ:   true, Insights: true, InsightsDays: 7, InsightsMode: "standard", MonitoringSeconds: 1,
		Volumes: []string{"vol-1"}, Machine: "i-1", Members: []Member{{Instance: "db-1", Class: "db.r6g.large"}},
	}
	return []Record{
		Run{
			Schema: Schema, ID: "20260301-120000-abcd", Start: noon, Version: "v1.2.3",
			Parameters: map[string]string{"clients": "8"},
			Target: Target{
				Kind: "container", Flavor: "postgres", Version: "17.11", Host: "db", Port: 5432, Database: "app",
				User: "me", Image: "postgres:17", Pooler: true, SystemIdentifier: "7", Settings: map[string]string{
					"fsync": "on"},
				Storage: Storage{
					Directory: "/data", FileSystem: "ext4", Device: "vda", RAM: true, Own: true, Unseen: []string{
						"/data/pg_wal"}, InMemory: []string{"wal"}, Tablespaces: map[string][]string{"16400": {"fast"}},
					Devices: []StorageDevice{{Name: "vda", Holds: []string{"data"}, Carries: []string{"/", "swap"},
						Backing: "/disk", Cached: true}},
				},
				Cloud: &cloud,
			},
			Host:   Host{OS: "linux", Arch: "amd64", Kernel: "6.18", CPUs: 2, MemoryBytes: 8 << 30},
			Clocks: []Clock{{Source: "server", Offset: -0.25, Error: 0.001}},
			Plan: Plan{Name: "published", Loads: []Load{load}, Repetitions: 3, LoadSeconds: 5, Seed: 42,
				RestSeconds: 3600, Workers: 1},
			Observed: true,
			Asked:    &Stretch{From: noon, To: noon.Add(time.Hour)},
			Notices:  []string{"It lacked a sample."}, Provenance: "made by hand",
			Operation: &Operation{Text: "vacuum", Warmup: 1, FirstTouch: true, Times: 2, SessionsKnown: true, SessionsNamed: true,
				SetsCommit: true},
			Baseline: &Baseline{Program: "fio 3.33", Set: "database", Bytes: 1 << 30, Direct: true, UntilThrottled: 60},
		},
		Metric{
			Name: "pgstat.wal/wal_records", Unit: "records", Type: Counter, Period: 60,
			Source: "https://www.postgresql.org/docs/17/monitoring-stats.html", Help: "WAL records generated",
			Caveat: "not on Aurora",
		},
		Gap{At: noon, Probe: "block", Metric: "block/writes", Reason: NotLocal, Code: "ENOENT", Detail: "elsewhere"},
		LoadEvent{
			At: noon, Load: "bulk", Repetition: 1, Event: End, Sessions: new(int64(3)), OtherSessions: 2,
			Failed: "the server died", Added: "to tell rows from entries", Factors: &load,
			Autovacuum: &Autovacuum{Rows: 81, WALBytes: 4_000_000, On: []string{"public.t"}},
			Others: &Others{Staying: 1, GoesOn: true, Rows: 300, Commits: 250, RowsShare: 0.2, CommitsShare: 0.1,
				WALBytes: 5_000_000, WALWrites: new(int64(4)), WALFsyncs: new(int64(3)), WALShare: 0.3,
				Who: []string{"psql of joe in shop"}, Writing: []string{"psql of ann in shop"}},
			Instance: "two", Cloud: &cloud, Cold: &Cold{Forgotten: true, Evicted: 5,
				Buffered: "its extension is old", Missing: "it is on another machine"},
		},
		Reading{At: noon, Took: 0.002, Probe: "pgstat", Values: map[string]float64{"pgstat.wal/wal_records": 1.5e300}},
		Work{
			From: noon, To: noon.Add(time.Second), Load: "bulk", Repetition: 1, Transactions: 7, Statements: 8,
			Rows: 7000, Updated: 10, Deleted: 20, Returned: 30, Lookups: 40, Failures: 1, Retries: 2, Late: 3,
			BytesSent: 4, BytesReceived: 5, Processor: 0.5, Latency: "HISTFAAA",
		},
		Proof{At: noon, Took: 0.5, Load: "bulk", Repetition: 1, Rows: 7000, Returned: 70,
			Counter: "pgstat.tables.orders/n_tup_ins", Missing: "it took too long"},
		Period{
			From: noon, To: noon.Add(time.Minute), Probe: "cloudwatch", Metric: "cloudwatch/WriteIOPS",
			Dimensions: map[string]string{"DBInstanceIdentifier": "one"}, Statistic: "Average", Value: 12.5,
			Fetched: noon.Add(time.Hour), Unsettled: true,
		},
		Total{From: noon, To: noon.Add(time.Hour), Load: "bulk", Repetition: 1, Probe: "cloudwatch",
			Values: map[string]float64{"cloudwatch/WriteIOPS": 7e9}},
		Origin{
			Load: "bulk", Repetition: 1, Probe: "cloudwatch", Title: "A load", Place: "github.com/a/b",
			File: "README.md", Commit: "0123456789abcdef",
			Author: "A. N. Author", Licence: "Apache-2.0", How: Digitized, Error: 0.02, Note: "by pixels",
		},
		Top{
			From: noon, At: noon.Add(time.Minute), Of: "statements", Load: "operation", Repetition: 2,
			Total: map[string]float64{"wal_bytes": 1e6}, Missing: "not asked",
			Items: []TopItem{{Name: "123", Text: "insert into t values ($1)", Grew: map[string]float64{
				"wal_bytes": 1e5}, AtLeast: true}},
		},
		WAL{
			From: noon, To: noon.Add(time.Minute), Load: "bulk", Repetition: 1, Bytes: 9000, Read: 8000,
			Missing: "not allowed",
			Items: []WALItem{{
				Name: "public.t_x", Is: WALIndex, Table: "public.t", Dropped: true, Shared: true, Constraint: Unique,
				Scans: new(int64(3)), Since: &noon, Like: "public.t_y",
				Parts: map[string]WALPart{"btree_insert_leaf": {Records: 20, Bytes: 9472, Images: 1, ImageBytes: 8192}},
			}},
		},
		SettingChange{At: noon.Add(time.Minute), Since: noon, Setting: "fsync", From: "on", To: "off"},
		Ended{
			At: noon.Add(time.Minute), Status: Broken, Cause: "the server died",
			Clocks: []Clock{{Source: "server", Offset: -0.25, Error: 0.001}},
			Cost:   &Cost{Seconds: 60, Queries: 1200, Waited: 0.25, Processor: 0.125, Bytes: 4096},
		},
	}
}

func TestEveryFieldIsFilled(t *testing.T) {
	for _, r := range everyKind() {
		eachField(t, string(r.Kind()), reflect.ValueOf(r))
	}
}

// eachField reports fields that are zero.
func eachField(t *testing.T, path string, v reflect.Value) {
	if v.IsZero() {
		t.Errorf("%s is empty", path)
	}
	if _, isTime := v.Interface().(time.Time); isTime {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		eachField(t, path, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			eachField(t, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachField(t, fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	}
}

// save writes records to a new file and returns its path.
func save(t *testing.T, name string, records ...Record) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	writeAll(t, w, records...)
	return path
}

// writeAll writes records, and closes the file.
func writeAll(t *testing.T, w *Writer, records ...Record) {
	t.Helper()
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func contentOf(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// collect reads everything up to the error, if any.
func collect(r io.Reader) ([]Record, error) {
	var records []Record
	for record, err := range Read(r) {
		if err != nil {
			return records, err
		}
		records = append(records, record)
	}
	return records, nil
}

func load(t *testing.T, path string) ([]Record, error) {
	t.Helper()
	records, file, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []Record
	for r, err := range records {
		if err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

func TestRoundTrip(t *testing.T) {
	for _, name := range []string{"run.jsonl", "run.jsonl.zst"} {
		got, err := load(t, save(t, name, everyKind()...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(everyKind(), got); diff != "" {
			t.Errorf("%s (-written +read):\n%s", name, diff)
		}
	}
}

// TestTimesAreWrittenInUTC: every kind with a time, from a clock in another zone.
func TestTimesAreWrittenInUTC(t *testing.T) {
	east := time.FixedZone("east", 3600)
	var there []Record
	for _, r := range everyKind() {
		v := reflect.New(reflect.TypeOf(r)).Elem()
		v.Set(reflect.ValueOf(r))
		for _, field := range v.Fields() {
			if at, isTime := field.Interface().(time.Time); isTime {
				field.Set(reflect.ValueOf(at.In(east)))
			}
		}
		there = append(there, v.Interface().(Record))
	}
	if diff := cmp.Diff(text(t, everyKind()...), text(t, there...)); diff != "" {
		t.Error(diff)
	}
}

func TestCompressionByNameAndContent(t *testing.T) {
	plain := save(t, "run.jsonl", everyKind()...)
	packed := save(t, "run.jsonl.zst", everyKind()...)
	if !bytes.HasPrefix(contentOf(t, plain), []byte(`{"kind":"run","schema":"realiops.run/1",`)) {
		t.Errorf("a .jsonl does not begin with a plain run line: %.60q", contentOf(t, plain))
	}
	unpack, err := zstd.NewReader(bytes.NewReader(contentOf(t, packed)))
	if err != nil {
		t.Fatal(err)
	}
	defer unpack.Close()
	text, err := io.ReadAll(unpack)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(contentOf(t, plain)), string(text)); diff != "" {
		t.Errorf(".jsonl and unpacked .zst differ:\n%s", diff)
	}
	misnamed := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(misnamed, contentOf(t, packed), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := load(t, misnamed); err != nil || len(got) != len(everyKind()) {
		t.Errorf("compressed file named .jsonl: %d records, %v", len(got), err)
	}
}

func TestUnknownKindsAndBlankLinesAreSkipped(t *testing.T) {
	content := "\n" + text(t, everyKind()[0]) + `{"kind":"dream","deep":{"x":[1]}}` + "\r\n\n" + text(t, everyKind()[3])
	got, err := collect(strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Record{everyKind()[0], everyKind()[3]}, got); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownFieldsAreSkipped(t *testing.T) {
	content := strings.Replace(text(t, everyKind()[0]), `"id":`, `"new":{"a":1},"id":`, 1)
	got, err := collect(strings.NewReader(content))
	if diff := cmp.Diff(everyKind()[:1], got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestReadingMayStopEarly(t *testing.T) {
	for record, err := range Read(strings.NewReader(text(t, everyKind()...))) {
		if err != nil || record.Kind() != KindRun {
			t.Errorf("first is %v, %v", record, err)
		}
		break
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	if _, _, err := Open(filepath.Join(t.TempDir(), "none.jsonl")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if got, err := load(t, t.TempDir()); len(got) > 0 || err == nil ||
		!strings.Contains(err.Error(), "is a directory") {
		t.Errorf("directory: %v", err)
	}
}

// TestWorkOfOthersInFull: amounts have no powers of ten.
func TestWorkOfOthersInFull(t *testing.T) {
	for want, bytes := range map[string]int64{"12,345 MB": 12_345_678_901, "99.9 MB": 99_900_000, "0.5 MB": 500_000} {
		said := Others{WALBytes: bytes, WALShare: 0.3}.String()
		if !strings.Contains(said, " "+want+" of the WAL (30%)") {
			t.Errorf("%d bytes: %s", bytes, said)
		}
	}
}
