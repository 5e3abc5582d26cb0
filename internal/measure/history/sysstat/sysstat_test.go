package sysstat_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/fleet"
	"github.com/realiops/realiops/internal/measure/history/sysstat"
)

// sadc is sysstat's collector, which Debian keeps outside the PATH.
func sadc(t *testing.T) string {
	t.Helper()
	for _, path := range []string{"/usr/lib/sysstat/sadc", "/usr/lib64/sa/sadc", "/usr/lib/sa/sadc"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skip("sysstat is not installed")
	return ""
}

// TestReadsWhatSadfWrites compares sadf's export for databases with our reading of its JSON.
func TestReadsWhatSadfWrites(t *testing.T) {
	collector, file := sadc(t), filepath.Join(t.TempDir(), "sa")
	if out, err := exec.CommandContext(t.Context(), collector, "1", "3", file).CombinedOutput(); err != nil {
		t.Fatalf("sadc: %v: %s", err, out)
	}
	sadf := func(form string) string {
		c := exec.CommandContext(t.Context(), "sadf", form, file, "--", "-b")
		c.Env = append(os.Environ(), "LC_ALL=C")
		out, err := c.Output()
		if err != nil {
			t.Fatalf("sadf %s: %v", form, err)
		}
		return string(out)
	}
	hosts, err := sysstat.Read([]byte(sadf("-j")))
	if err != nil || len(hosts) != 1 {
		t.Fatalf("%d machines, %v", len(hosts), err)
	}
	var want []sysstat.Interval
	lines := strings.Split(strings.TrimSpace(sadf("-d")), "\n")
	names := strings.Split(strings.TrimPrefix(lines[0], "# "), ";")
	for _, line := range lines[1:] {
		fields := map[string]string{}
		for i, field := range strings.Split(line, ";") {
			fields[names[i]] = field
		}
		number := func(name string) float64 {
			v, err := strconv.ParseFloat(fields[name], 64)
			if err != nil {
				t.Fatalf("%s in %q: %v", name, line, err)
			}
			return v
		}
		at, err := time.Parse("2006-01-02 15:04:05 MST", fields["timestamp"])
		if err != nil {
			t.Fatal(err)
		}
		const sector = 512
		want = append(want, sysstat.Interval{From: at.Add(-time.Duration(number("interval")) * time.Second), To: at,
			Reads: number("rtps"), Writes: number("wtps"), ReadBytes: number("bread/s") * sector,
			WriteBytes: number("bwrtn/s") * sector})
	}
	if diff := cmp.Diff(want, hosts[0].Intervals); diff != "" || len(want) < 2 {
		t.Errorf("what sadf -d writes, and what was read (-, +): %s", diff)
	}
}

// stretch is a part of a day: intervals of one length with the same rates.
type stretch struct {
	n       int
	seconds int
	writes  float64
}

// written returns sadf's output for a machine from the first of November on: 16 sectors for each write, and a
// read of 8 for every second write.
func written(machine string, from time.Duration, all ...stretch) []byte {
	var lines []string
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).Add(from)
	for _, s := range all {
		for range s.n {
			at = at.Add(time.Duration(s.seconds) * time.Second)
			if s.writes >= 0 {
				lines = append(lines, fmt.Sprintf(
					`{"timestamp": {"date": %q, "time": %q, "utc": 1, "interval": %d}, "io": {"tps": %g, "io-reads": {"rtps": %g, "bread": %g}, "io-writes": {"wtps": %g, "bwrtn": %g}}}`,
					at.Format(time.DateOnly), at.Format(time.TimeOnly), s.seconds, s.writes*1.5, s.writes/2,
					s.writes/2*8, s.writes, s.writes*16))
			}
		}
	}
	return fmt.Appendf(nil, `{"sysstat": {"hosts": [{"nodename": %q, "statistics": [%s]}]}}`, machine,
		strings.Join(lines, ","))
}

// files replaces files on a disk.
type files map[string][]byte

func (f files) read(_ context.Context, name string) ([]byte, error) {
	if f[name] == nil {
		return nil, errors.New(name + " is not there")
	}
	return f[name], nil
}

// TestHours: the mean and highest interval of an hour, from overlapping files in any order.
// An hour with a hole is left out.
func TestHours(t *testing.T) {
	// The first hour has ten minutes at 400 and fifty at 100, the second lacks twenty minutes, the third is at 50.
	first := written("db1", 0, stretch{1, 600, 400}, stretch{5, 600, 100})
	second := written("db1", 50*time.Minute, stretch{1, 600, 100}, stretch{4, 600, 10}, stretch{2, 600, -1},
		stretch{60, 60, 50})
	all := files{"a": second, "b": first, "c": written("db2", 0, stretch{6, 600, 7})}
	f, err := sysstat.NewFleet(t.Context(), []string{"a", "b", "c"}, someday, all.read)
	if err != nil {
		t.Fatal(err)
	}
	from, to := f.Span()
	databases := f.Databases()
	if to.Sub(from) != 3*time.Hour || len(databases) != 2 || databases[0].Name != "db1" {
		t.Fatalf("%s to %s, %v", from, to, databases)
	}
	told, err := f.Hours(t.Context(), databases[:1], from, to)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, p := range told[0].Periods {
		got[fmt.Sprintf("%02d %s %s", p.From.Hour(), p.Metric, p.Statistic)] = p.Value
	}
	want := map[string]float64{}
	for hour, of := range map[string][2]float64{"00": {(400.0 + 5*100) / 6, 400}, "02": {50, 50}} {
		for k, statistic := range []string{"Average", "Maximum"} {
			w := of[k]
			want[hour+" block/writes "+statistic], want[hour+" block/write_bytes "+statistic] = w, w*16*512
			want[hour+" block/reads "+statistic], want[hour+" block/read_bytes "+statistic] = w/2, w/2*8*512
		}
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-6 })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("-want +got: %s", diff)
	}
}

// someday is later than all the tests' files.
var someday = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// TestAhead: intervals stamped by a clock ahead of ours are left out and reported; if there
// are no others, that is an error.
func TestAhead(t *testing.T) {
	all := files{"a": written("vm", 0, stretch{12, 600, 7})} // two hours
	whole, err := sysstat.NewFleet(t.Context(), []string{"a"}, someday, all.read)
	if err != nil || len(whole.Notices()) > 0 {
		t.Fatal(err)
	}
	from, _ := whole.Span()
	f, err := sysstat.NewFleet(t.Context(), []string{"a"}, from.Add(70*time.Minute), all.read)
	if err != nil {
		t.Fatal(err)
	}
	_, to := f.Span()
	told, err := f.Hours(t.Context(), f.Databases(), from, to)
	if err != nil || len(f.Notices()) != 1 || len(told) != 1 {
		t.Fatalf("%v, %v, %v", told, f.Notices(), err)
	}
	for _, p := range told[0].Periods {
		if !p.From.Equal(from) || !p.To.Equal(from.Add(time.Hour)) {
			t.Errorf("%+v", p)
		}
	}
	if len(told[0].Periods) != 8 { // four metrics, mean and highest
		t.Errorf("%d periods", len(told[0].Periods))
	}
	if _, err := sysstat.NewFleet(t.Context(), []string{"a"}, from, all.read); err == nil ||
		!strings.Contains(err.Error(), "is a clock wrong?") {
		t.Errorf("%v", err)
	}
}

// TestFileWithoutIntervals: a day that has only its first reading, or none, is missing.
func TestFileWithoutIntervals(t *testing.T) {
	all := files{"a": written("vm", 0), "b": written("vm", 24*time.Hour, stretch{6, 600, 7})}
	f, err := sysstat.NewFleet(t.Context(), []string{"a", "b"}, someday, all.read)
	if err != nil {
		t.Fatal(err)
	}
	const want = "a has no interval: what its machine did in its time is unknown."
	if said := strings.Join(f.Notices(), " "); said != want {
		t.Errorf("%q, want %q", said, want)
	}
}

func TestTwoMachinesOfOneName(t *testing.T) {
	all := files{"a": written("vm", 0, stretch{6, 600, 7}), "b": written("vm", 0, stretch{6, 600, 8})}
	f, err := sysstat.NewFleet(t.Context(), []string{"a", "b"}, someday, all.read)
	if err != nil {
		t.Fatal(err)
	}
	from, to := f.Span()
	_, err = f.Hours(t.Context(), []fleet.Database{{Name: "vm"}}, from, to)
	if err == nil || !strings.Contains(err.Error(), "two machines") {
		t.Errorf("%v", err)
	}
}

func TestBadFiles(t *testing.T) {
	good := string(written("db1", 0, stretch{1, 600, 1}))
	for text, want := range map[string]string{
		"":                                  "the file is empty",
		"\x96\xd5u!":                        "sadf -j FILE -- -b",
		"<html>":                            "it is not JSON",
		good[:len(good)-3]:                  "unexpected end of JSON",
		`{"MetricDataResults":[]}`:          "it is not sadf's JSON",
		strings.Replace(good, "db1", "", 1): "does not name its machine",
		strings.Replace(good, `"io"`, `"cpu"`, 1):                        "has no disks",
		strings.Replace(good, `"utc": 1`, `"utc": 0`, 1):                 "without -t",
		strings.Replace(good, "00:10:00", "25:10:00", 1):                 "invalid time",
		strings.Replace(good, `"interval": 600`, `"interval": 86400`, 1): "86400 seconds",
		strings.Replace(good, `"wtps": 1`, `"wtps": null`, 1):            "lacks requests",
		strings.Replace(good, `"bread"`, `"read"`, 1):                    "lacks requests or blocks",
		strings.Replace(good, `"io-writes"`, `"io-write"`, 1):            "lacks requests",
		strings.Replace(good, `"wtps": 1`, `"wtps": -1`, 1):              "is more than any disk does",
		strings.Replace(good, `"wtps": 1`, `"wtps": 1e300`, 1):           "is more than any disk does",
	} {
		if _, err := sysstat.Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written("db1", 0, stretch{2, 600, 1}))
	f.Add([]byte(
		`{"sysstat": {"hosts": [{"nodename": "a", "statistics": [{"timestamp": "2026-11-10T00:00:00+0000", "disk": [{"disk_device": "sda", "r/s": 1, "w/s": 1, "rkB/s": 1, "wkB/s": 1}]}]}]}}`))
	f.Add([]byte("Linux 6.1 (a)\n2026-11-10T00:00:00+0000\nDevice r/s rkB/s w/s wkB/s\nsda 1 2 3 " +
		"4\n2026-11-10T00:00:10+0000\nsda 1 2 3 4\n"))
	f.Add([]byte(
		`{"interval": "PT1M", "value": [{"id": "/a/providers/Microsoft.Insights/x", "name": {"value": "read_iops"}, "timeseries": [{"data": [{"timeStamp": "2026-11-10T00:00:00Z", "average": 1}]}]}]}`))
	f.Add([]byte(
		"Entity,MetricId,Timestamp,Value,Instance,IntervalSecs\na,virtualdisk.read.average,2026-11-10T00:00:00Z,1,scsi0:0,20\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		hosts, err := sysstat.Read(text)
		for _, h := range hosts {
			for _, i := range h.Intervals {
				if !i.To.After(i.From) || !(i.Reads >= 0 && i.Writes >= 0 && i.ReadBytes >= 0 && i.WriteBytes >= 0) ||
					err != nil {
					t.Errorf("%v: %v", i, err)
				}
			}
		}
	})
}
