package diagnosis_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/cli/diagnosis"
	measured "github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// probe returns a probe that has read some counters, and not others, for a reason.
func probe(name string, read, missing []string, why runfile.Reason) diagnosis.Probe {
	p := diagnosis.Probe{Name: name, Values: map[string]float64{}}
	for i, metric := range append(read, missing...) {
		p.Metrics = append(p.Metrics, runfile.Metric{Name: metric, Type: runfile.Counter})
		if i < len(read) {
			p.Values[metric] = 7
		} else {
			p.Gaps = append(p.Gaps, runfile.Gap{Metric: metric, Reason: why, Detail: "because"})
		}
	}
	return p
}

// hidden returns a probe that could not read anything.
func hidden(name string, metrics ...string) diagnosis.Probe {
	p := probe(name, nil, metrics, runfile.NotLocal)
	p.Gaps = []runfile.Gap{{Reason: runfile.NotLocal, Detail: "far away"}}
	return p
}

func examined(settings map[string]string, probes ...diagnosis.Probe) diagnosis.Diagnosis {
	return diagnosis.New(diagnosis.Subject{
		Target: runfile.Target{Kind: "dsn", Host: "db", Settings: settings}, Probes: probes,
		Remedy: func(g runfile.Gap) string { return "mend " + string(g.Reason) },
		Advise: asWritten,
	})
}

func TestWhatAGapCosts(t *testing.T) {
	d := examined(nil, probe("pgstat", []string{"pgstat.lsn/insert", "pgstat.io/writes"},
		[]string{"pgstat.wal/wal_records", "pgstat.wal/wal_buffers_full"}, runfile.Permission),
		hidden("block", "block/writes", "block/flushes", "block/write_bytes", "block/reads"))
	got := map[string][]metric.Quantity{}
	for _, s := range d.Sources {
		for _, gap := range s.Gaps {
			got[s.Name+" "+gap.Reason+" "+gap.Detail+" "+gap.Remedy+" "+strings.Join(gap.Metrics, " ")] = gap.Costs
		}
	}
	want := map[string][]metric.Quantity{
		"pgstat.wal permission because mend permission pgstat.wal/wal_records pgstat.wal/wal_buffers_full": {},
		"block not-local far away mend not-local block/writes block/flushes block/write_bytes block/reads": {
			"device_requests", "device_flushes", "device_bytes"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	known := map[string]bool{}
	for _, quantity := range d.Quantities {
		if quantity.Known {
			known[string(quantity.Name)] = true
		}
	}
	if diff := cmp.Diff(map[string]bool{"rows": true, "entries": true, "statements": true, "commits": true,
		"wal_records": true, "wal_bytes": true, "pages_written": true}, known); diff != "" {
		t.Errorf("known (-want +got):\n%s", diff)
	}
}

// One of two counters that separate requests from flushes is not enough, and each alone is worth nothing.
func TestAGapCostsWhatItAloneWouldGive(t *testing.T) {
	d := examined(nil, probe("block", []string{"block/writes"}, []string{"block/flushes"}, runfile.Unsupported))
	if diff := cmp.Diff([]metric.Quantity{metric.DeviceRequests, metric.DeviceFlushes}, d.Sources[0].Gaps[0].Costs); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// asWritten is the advice of one's own server.
func asWritten(r measured.Remedy) string { return r.Text }

func TestConcludesWhereBothSidesAreKnown(t *testing.T) {
	check := func(want bool, d diagnosis.Diagnosis) {
		t.Helper()
		if d.Concludes != want {
			t.Errorf("concludes is %v, want %v", d.Concludes, want)
		}
	}
	check(true, examined(nil, probe("block", []string{"block/write_bytes"}, nil, "")))
	check(true, examined(nil, probe("pgstat", []string{"pgstat.wal/wal_sync"}, nil, "")))
	check(false, examined(nil, probe("pgstat", []string{"pgstat.lsn/insert", "pgstat.wal/wal_records"}, nil, "")))
	check(true, diagnosis.New(diagnosis.Subject{
		Target: runfile.Target{Kind: "dsn", Flavor: "aurora"}, Remedy: func(runfile.Gap) string { return "" }, Advise: asWritten,
		Probes: []diagnosis.Probe{probe("pgstat", []string{"pgstat.lsn/insert"}, nil, "")},
	}))
	check(false, examined(nil))
	check(false, diagnosis.New(diagnosis.Subject{
		Advise: asWritten, Refusals: []string{"the server is a standby"}, Probes: []diagnosis.Probe{
			probe("block", []string{"block/write_bytes"}, nil, "")},
	}))
}

func TestCautionsAreTheReports(t *testing.T) {
	d := examined(map[string]string{"fsync": "off", "full_page_writes": "on"},
		probe("pgstat", []string{"pgstat.wal/wal_records"}, nil, ""), hidden("block", "block/writes"))
	var codes []string
	for _, c := range d.Cautions {
		codes = append(codes, c.Code)
	}
	if diff := cmp.Diff([]string{"fsync-off"}, codes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTextKeepsToTheWidth(t *testing.T) {
	d := examined(map[string]string{"fsync": "off"},
		probe("pgstat", []string{"pgstat.lsn/insert"}, []string{"pgstat.wal/wal_records"}, runfile.Permission),
		hidden("block", "block/writes", "block/flushes"))
	d.Clock = runfile.Clock{Source: "server", Offset: -2, Error: 0.25}
	for _, width := range []int{60, 80, 120} {
		var text strings.Builder
		if err := document.Text(&text, d.Document(), width); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
		for _, words := range []string{"behind ours by 2 s (± 250 ms)", "NOTHING HERE", "! fsync is off",
			"modelled, not counted, and off by at most", "under a load of insert-select and", "costs: device requests"} {
			if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), words) {
				t.Errorf("%q is not in\n%s", words, &text)
			}
		}
	}
}

// TestSaysWhoUsesTheDisk: the users are listed if the disk was observed.
func TestSaysWhoUsesTheDisk(t *testing.T) {
	subject := diagnosis.Subject{Target: runfile.Target{Kind: "dsn", Host: "db"}, Advise: asWritten, Remedy: func(runfile.Gap) string {
		return ""
	}}
	var unseen, seen strings.Builder
	if err := document.Text(&unseen, diagnosis.New(subject).Document(), 80); err != nil {
		t.Fatal(err)
	}
	subject.Disk = &diagnosis.Disk{Seconds: 3, Did: diagnosis.DiskUse{Requests: 430, Flushes: 10, Bytes: 7e6},
		Users: []diagnosis.DiskUse{
			{Of: diagnosis.Program, Command: "fio", Requests: 400, Bytes: 6.5e6},
			{Of: diagnosis.Kernel, Requests: 29, Bytes: 4e5}, {Of: diagnosis.ThisServer, Requests: 1, Bytes: 8e3},
		}}
	if err := document.Text(&seen, diagnosis.New(subject).Document(), 80); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(seen.String()), " ")
	want := "What the disk did in 3 s without load: all programs 430 requests/s, 7.0 MB/s, 10 flushes/s program fio " +
		"400 requests/s, 6.5 MB/s " +
		"the kernel, for files that programs wrote before 29 requests/s, 0.4 MB/s this server 1.0 " +
		"requests/s, 0.008 MB/s"
	if !strings.Contains(text, want) || strings.Contains(unseen.String(), "What the disk did") {
		t.Errorf("%s\nunseen: %s", text, unseen.String())
	}
}
