package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/readtest"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// TestWarmColdLoads: if memory kept the table of a cold load, the report says so, and so does an order for it.
// An order for a load that was cold says that memory may do better.
func TestWarmColdLoads(t *testing.T) {
	const old, far = "pg_buffercache 1.3 cannot evict pages", "the server is on another machine"
	kept := map[string]runfile.Cold{"point-cold": {Buffered: old, Missing: far}, "range-cold": {Buffered: old},
		"scan-cold": {Forgotten: true}}
	records := readtest.Records(t, "17", nil)
	for i, l := range records[0].(runfile.Run).Plan.Loads {
		records[0].(runfile.Run).Plan.Loads[i].Cold = strings.HasSuffix(l.Name, "-cold")
	}
	for i, record := range records {
		e, is := record.(runfile.LoadEvent)
		if cold, one := kept[e.Load]; is && one && e.Event == runfile.Begin {
			e.Cold = &cold
			records[i] = e
		}
	}
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, w := range report.New(run, attribution.Judge(run, attribution.Options{})).Warnings {
		if w.Code == "not-cold" {
			said = append(said, w.Text)
		}
	}
	if want := []string{
		"Memory may have answered part of point-cold, range-cold: shared_buffers kept what they had of its table, " +
			"since " +
			old + ".",
		"Memory may have answered part of point-cold: the kernel was not asked to forget its table, since " + far + ".",
	}; !slices.Equal(said, want) {
		t.Errorf("the report says %q", said)
	}
	for load, want := range map[string]string{
		"point-cold": "What memory answered: point-cold kept its table out of memory, but not all of it " +
			"(shared_buffers kept",
		"range-cold": "What memory answered: range-cold",
		"scan-cold":  "What memory answers: scan-cold kept its table out of memory on purpose.",
	} {
		s, err := sizing.Size(sizing.Ask{GiB: 500, Load: load}, run)
		if err != nil {
			t.Fatal(err)
		}
		about := slices.DeleteFunc(s.Omitted, func(text string) bool { return !strings.HasPrefix(text, "What memory") })
		if len(about) != 1 || !strings.HasPrefix(about[0], want) {
			t.Errorf("%s: %q, want %q", load, about, want)
		}
	}
}
