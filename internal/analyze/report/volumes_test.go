package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// apart returns a run of ten seconds in which each role does the given writes and flushes of 8 KiB per second, on its
// devices.
func apart(t *testing.T, devices []runfile.StorageDevice, writes, flushes map[string]float64) *counts.Run {
	t.Helper()
	const seconds, kept = 10, "2GB"
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }
	load := runfile.Load{Name: "single", Method: "insert-values", RowsPerTx: 1, Clients: 1}
	records := []runfile.Record{runfile.Run{
		Schema: runfile.Schema, ID: "20260301-120000-abcd", Start: start,
		Plan: runfile.Plan{Name: "made", Loads: []runfile.Load{load}, Repetitions: 1, LoadSeconds: seconds},
		Target: runfile.Target{Settings: map[string]string{"max_wal_size": kept}, Storage: runfile.Storage{
			Device: "sda", Own: true, Devices: devices}},
	}}
	values := func(s float64) map[string]float64 {
		all := map[string]float64{}
		add := func(name string, v float64) { all[name] += v * s }
		for role := range writes {
			for _, name := range []func(string) string{func(m string) string {
				return m
			}, func(m string) string { return metric.InRole(role, m) }} {
				add(name(metric.BlockReads), 0)
				add(name(metric.BlockReadBytes), 0)
				add(name(metric.BlockWrites), writes[role]+flushes[role]) // the kernel counts a flush as a write
				add(name(metric.BlockFlushes), flushes[role])
				add(name(metric.BlockWriteBytes), 8192*writes[role])
			}
		}
		return all
	}
	for name := range values(0) {
		records = append(records, runfile.Metric{Name: name, Unit: "1", Type: runfile.Counter})
	}
	read := func(s, worked float64) {
		records = append(records, runfile.Reading{At: at(s), Probe: "block", Values: values(worked)})
	}
	read(-0.1, 0)
	records = append(records, runfile.LoadEvent{At: at(-0.05), Load: load.Name, Repetition: 1, Event: runfile.Begin})
	for s := range seconds + 1 {
		read(float64(s), float64(s))
	}
	run, err := tally.FromRun(runfiletest.Sequence(append(records,
		runfile.Work{From: at(0), To: at(seconds), Load: load.Name, Repetition: 1, Transactions: 1000,
			Statements: 1000, Rows: 1000},
		runfile.LoadEvent{At: at(seconds + 0.4), Load: load.Name, Repetition: 1, Event: runfile.End},
		runfile.Ended{At: at(seconds + 1), Status: runfile.Complete})))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestVolumes: the WAL has its own disk, and tablespaces share the data's.
func TestVolumes(t *testing.T) {
	devices := []runfile.StorageDevice{{Name: "sda", Holds: []string{"data", "tablespaces"}},
		{Name: "sdb", Holds: []string{"wal"}}}
	run := apart(t, devices, map[string]float64{"data": 7000, "tablespaces": 7000, "wal": 704},
		map[string]float64{"data": 3, "tablespaces": 3, "wal": 700})
	volumes := sizes.Volumes(run)
	got := map[string][3]float64{}
	for _, v := range volumes {
		mean := v.Loads[0].Mean
		got[v.Name+" on "+strings.Join(v.Devices, "+")] = [3]float64{mean.Writes, mean.Flushes, mean.WriteBytes}
	}
	want := map[string][3]float64{"data and tablespaces on sda": {7000, 3, 7000 * 8192},
		"WAL on sdb": {704, 700, 704 * 8192}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if line := sizes.VolumesIn(volumes, "single"); !strings.Contains(line,
		"WAL volume (sdb): 700 flushes/s, 704 requests/s, 5.8 MB/s") {
		t.Error(line)
	}
	size, _ := sizedBy(t, run, sizing.Ask{GiB: 500})
	if len(size.Apart) != 2 || size.Apart[0].Order == nil || size.Apart[1].Order == nil {
		t.Fatalf("%+v", size.Apart)
	}
	if wal := size.Apart[1]; wal.GiB != 4 || wal.Rate.Writes != 704 { // twice max_wal_size
		t.Errorf("the WAL is sized for %+v on %g GiB", wal.Rate, wal.GiB)
	}
	if data := size.Apart[0]; data.GiB != 500 || data.Rate.Writes != 7000 {
		t.Errorf("the data are sized for %+v on %g GiB", data.Rate, data.GiB)
	}
	delete(run.Header.Target.Settings, "max_wal_size")
	if size, _ := sizedBy(t, run, sizing.Ask{GiB: 500}); size.Apart[1].Order != nil ||
		!strings.Contains(size.Apart[1].Why, "max_wal_size") {
		t.Errorf("without max_wal_size it orders %+v: %s", size.Apart[1].Order, size.Apart[1].Why)
	}
}

// TestVolumesSharingADevice: the device's work counts for both, so they are shown but not ordered.
func TestVolumesSharingADevice(t *testing.T) {
	devices := []runfile.StorageDevice{{Name: "sda", Holds: []string{"data"}},
		{Name: "sdb", Holds: []string{"data", "wal"}}}
	run := apart(t, devices, map[string]float64{"data": 100, "wal": 50}, nil)
	volumes := sizes.Volumes(run)
	if len(volumes) != 2 || !volumes[0].Shared || !volumes[1].Shared {
		t.Errorf("%+v", volumes)
	}
	if size, _ := sizedBy(t, run, sizing.Ask{GiB: 500}); len(size.Apart) != 0 {
		t.Errorf("%+v", size.Apart)
	}
	if one := sizes.Volumes(apart(t, devices[1:], map[string]float64{"data": 1}, nil)); len(one) != 0 {
		t.Errorf("one volume: %+v", one)
	}
}

// TestTablespacesOnSeveralDevices: each device is a volume named by its tablespaces, even if it also holds the WAL.
func TestTablespacesOnSeveralDevices(t *testing.T) {
	devices := []runfile.StorageDevice{
		{Name: "sda", Holds: []string{"data"}},
		{Name: "sdb", Holds: []string{"wal", "tablespaces", "tablespaces.16402"}},
		{Name: "sdc", Holds: []string{"tablespaces", "tablespaces.16400"}},
		{Name: "sdd", Holds: []string{"tablespaces", "tablespaces.16401"}},
	}
	flushes := map[string]float64{"data": 1, "wal": 700, "tablespaces": 704, "tablespaces.16400": 3,
		"tablespaces.16401": 1, "tablespaces.16402": 700}
	writes := map[string]float64{"data": 70, "wal": 704, "tablespaces": 1704, "tablespaces.16400": 800,
		"tablespaces.16401": 200, "tablespaces.16402": 704}
	run := apart(t, devices, writes, flushes)
	// a shared run has no names
	run.Header.Target.Storage.Tablespaces = map[string][]string{"16400": {"fast", "quick"}, "16402": {"beside"}}
	got := map[string]float64{}
	for _, v := range sizes.Volumes(run) {
		got[v.Name+" on "+strings.Join(v.Devices, "+")] = v.Loads[0].Mean.Writes
	}
	want := map[string]float64{
		"data on sda": 70, "WAL and tablespace beside on sdb": 704, "tablespaces fast, quick on sdc": 800,
		"tablespace 16401 on sdd": 200,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
