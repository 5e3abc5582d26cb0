package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
	"github.com/realiops/realiops/internal/test/servertest"
)

// readAll returns the content of a file so far, or "".
func readAll(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

// planFile writes a plan of one load.
func planFile(t *testing.T, load, seconds string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plan.json")
	text := `{"loads": [` + load + `], "repetitions": 1, "load_seconds": ` + seconds + `}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// recordOf returns the records of a run.
func recordOf(t *testing.T, args ...string) []runfile.Record {
	t.Helper()
	return recordIn(t, filepath.Join(t.TempDir(), "run.jsonl"), args...)
}

func recordIn(t *testing.T, path string, args ...string) []runfile.Record {
	t.Helper()
	if out, err := realiops(t, append([]string{"run", "-o", path}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return runfiletest.Records(t, path)
}

// readBy returns the readings of a probe.
func readBy(records []runfile.Record, probe string) []runfile.Reading {
	var all []runfile.Reading
	for _, r := range records {
		if reading, ok := r.(runfile.Reading); ok && reading.Probe == probe {
			all = append(all, reading)
		}
	}
	return all
}

// pauses returns the times between readings, sorted.
func pauses(readings []runfile.Reading) []time.Duration {
	var all []time.Duration
	for i := range readings[1:] {
		all = append(all, readings[i+1].At.Sub(readings[i].At))
	}
	slices.Sort(all)
	return all
}

const idleLoad = `{"name": "idle"}`

// The shortest interval, on the oldest and the newest server: about twenty readings in two idle seconds, some
// of which a busy machine skips.
func TestReadsTenTimesASecond(t *testing.T) {
	for _, version := range []string{"13", "18"} {
		t.Run(version, func(t *testing.T) {
			records := recordOf(t, "--pg-version", version, "--plan", planFile(t, idleLoad, "2"), "--interval", "100ms")
			for _, probe := range []string{"pgstat", "block"} {
				readings := readBy(records, probe)
				if len(readings) < 10 {
					t.Fatalf("%s was read %d times", probe, len(readings))
				}
				if all := pauses(readings); all[len(all)/2] > 150*time.Millisecond {
					t.Errorf("%s was read after pauses of %v", probe, all)
				}
			}
		})
	}
}

// With an interval longer than the run, nothing is read during the load, and the readings at its
// edges are enough for its counts.
func TestReadsAtTheEdgesAlone(t *testing.T) {
	busy := `{"name": "busy", "method": "copy", "rows_per_tx": 100, "clients": 2}`
	records := recordOf(t, "--plan", planFile(t, busy, "1"), "--interval", "1m")
	var begin, end time.Time
	var loads []runfile.Work
	for _, r := range records {
		switch r := r.(type) {
		case runfile.LoadEvent:
			if r.Event == runfile.Begin {
				begin = r.At
			}
			if r.Event == runfile.End {
				end = r.At
			}
		case runfile.Work:
			loads = append(loads, r)
		}
	}
	var rows, before, after float64
	for _, load := range loads {
		rows += float64(load.Rows)
	}
	for _, reading := range readBy(records, "pgstat") {
		switch {
		case reading.At.Before(begin):
			before = reading.Values["pgstat.tables/n_tup_ins"]
		case reading.At.Before(loads[len(loads)-1].To):
			t.Errorf("read at %v, while the load ran", reading.At)
		case reading.At.Before(end):
			after = reading.Values["pgstat.tables/n_tup_ins"]
		}
	}
	if after-before != rows || rows == 0 {
		t.Errorf("the counter of rows grew by %v, and the load wrote %v", after-before, rows)
	}
}

// A locked view delays only its own metrics.
func TestALockedViewDelaysNothingElse(t *testing.T) {
	const locked = 3 * time.Second
	endpoint := servertest.Database(t, "17")
	other := servertest.Connect(t, endpoint)
	path := filepath.Join(t.TempDir(), "run.jsonl")
	ended := make(chan error, 1)
	go func() {
		for text := ""; !strings.Contains(text, `"event":"begin"`) &&
			t.Context().Err() == nil; time.Sleep(50 * time.Millisecond) {
			text = readAll(path)
		}
		_, err := other.Exec(t.Context(),
			fmt.Sprintf("begin; lock table pg_catalog.pg_stat_wal; select pg_sleep(%v); commit", locked.Seconds()))
		ended <- err
	}()
	records := recordIn(t, path, "--dsn", endpoint.Config().ConnString(), "--shared", "--plan",
		planFile(t, idleLoad, "5"), "--interval", "100ms")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	var why []string
	for _, r := range records {
		if gap, ok := r.(runfile.Gap); ok && gap.Metric == "pgstat.wal/wal_records" {
			why = append(why, strings.TrimSpace(string(gap.Reason)+" "+gap.Code))
		}
	}
	if diff := cmp.Diff([]string{"late 55P03"}, slices.Compact(why)); diff != "" {
		t.Errorf("gaps of the locked view (-want +got):\n%s", diff)
	}
	if longest := slices.Max(pauses(readBy(records, "block"))); longest > locked/2 {
		t.Errorf("the device was not read for %v", longest)
	}
	without := 0
	for _, reading := range readBy(records, "pgstat") {
		_, whole := reading.Values["pgstat.wal/wal_records"]
		if _, rest := reading.Values["pgstat.lsn/insert"]; rest && !whole {
			without++
		}
	}
	if without == 0 {
		t.Error("no reading has the rest without the locked view")
	}
}
