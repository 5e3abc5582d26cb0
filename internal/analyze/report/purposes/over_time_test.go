package purposes_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/report/purposes"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// TestOtherProgramsOverTime: an observation of ten minutes shows a program that does 100 requests of 1 MB a second from
// the third minute to the fifth, and a base backup of 3 s. Time hidden by a gap is in no span, and is not zero.
func TestOtherProgramsOverTime(t *testing.T) {
	start := time.Date(2026, 11, 3, 23, 50, 0, 0, time.UTC)
	records := []runfile.Record{runfile.Run{Schema: runfile.Schema, ID: "20261103-235000-abcd", Start: start,
		Observed: true}}
	requests := 0.0
	for i := range 601 {
		at := start.Add(time.Duration(i) * time.Second)
		if i > 120 && i <= 300 {
			requests += 100
		}
		backups := 0.0
		if i >= 181 && i <= 184 {
			backups = 1
		}
		if i >= 480 && i < 540 {
			records = append(records, runfile.Gap{At: at, Probe: "request", Reason: runfile.Late,
				Detail: "files are being looked for"})
		} else {
			records = append(records, runfile.Reading{At: at, Probe: "request", Values: map[string]float64{
				"request.other_programs/reads": 0, "request.other_programs/read_bytes": 0,
				"request.other_programs/writes": requests, "request.other_programs/write_bytes": requests * 1e6,
			}})
		}
		records = append(records, runfile.Reading{At: at, Probe: "pgstat", Values: map[string]float64{
			"pgstat.progress/basebackup": backups}})
	}
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	o := purposes.OverTimeOf(run)
	if o == nil || len(o.Spans) != 9 {
		t.Fatalf("%+v; want nine minutes of ten: one is a gap", o)
	}
	for _, s := range o.Spans {
		want := 0.0
		if m := s.From.Sub(start).Minutes(); m >= 2 && m < 5 {
			want = 100
		}
		// windows are aligned to the clock, readings are not
		if math.Abs(*s.Requests-want) > 5 || math.Abs(*s.Bytes-want*1e6) > 5e6 {
			t.Errorf("from %s on: %g requests and %g bytes a second; want %g requests of 1 MB", s.From, *s.Requests,
				*s.Bytes, want)
		}
	}
	if len(o.Backups) != 1 || !o.Backups[0].From.Equal(start.Add(181*time.Second)) ||
		!o.Backups[0].To.Equal(start.Add(184*time.Second)) {
		t.Errorf("backups %+v; want one from the 181st second to the 184th", o.Backups)
	}
	if want := "A base backup ran from 23:53:01 to 23:53:04 UTC, and other programs did 100 requests/s, 100 MB/s " +
		"meanwhile."; !strings.Contains(o.Text(), want) {
		t.Errorf("%q; want %q in it", o.Text(), want)
	}
}
