package sizes_test

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/tally"
)

// TestOrderSaysHowLongTheServerWasObserved before anything else about the order: the shipped observation has 60 windows
// of 5 s.
func TestOrderSaysHowLongTheServerWasObserved(t *testing.T) {
	const testdata = "../../../../testdata/runs/"
	const observation, run = testdata + "observed-pg17.jsonl.zst", testdata + "loads-pg17.jsonl"
	const want = "The server was observed for 5 min: if it is busier at other times, this order is too small. The " +
		"size is from a model"
	for _, c := range []struct {
		of      []string
		says    string
		seconds float64
	}{
		{[]string{observation}, want, 300}, {[]string{run}, "", 0},
		{[]string{run, observation}, "observed for 5 min:", 300},
	} {
		var runs []*counts.Run
		for _, name := range c.of {
			read, err := tally.FromFile(name)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, read)
		}
		s, err := sizing.Size(sizing.Ask{GiB: 500}, runs...)
		if err != nil {
			t.Fatal(err)
		}
		size := sizes.NewSize(s)
		var text strings.Builder
		if err := document.Text(&text, size.Document(), 80); err != nil {
			t.Fatal(err)
		}
		first := strings.Join(strings.Fields(text.String()), " ")
		if !strings.Contains(first, c.says) || c.says == "" && strings.Contains(first, "observed") {
			t.Errorf("%v: the order says %.600s, want %q", c.of, first, c.says)
		}
		if size.Sized.Observed != c.seconds {
			t.Errorf("%v: observed for %g s, want %g", c.of, size.Sized.Observed, c.seconds)
		}
	}
}

// TestMachineMustPass: a need below one is rounded up, and bytes that are not known are not 0.
func TestMachineMustPass(t *testing.T) {
	run, err := tally.FromFile("../../../../testdata/runs/loads-pg17.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	s, err := sizing.Size(sizing.Ask{GiB: 500}, run)
	if err != nil {
		t.Fatal(err)
	}
	for needs, want := range map[sizing.Passing]string{
		{IOPS: 0.3}:              "The machine must pass 1 operation/s: m7g.medium and up.",
		{IOPS: 1.2, MiBps: 0.01}: "The machine must pass 2 operations/s and 1 MiB/s: m7g.medium and up.",
	} {
		size, text := sizes.NewSize(s), strings.Builder{}
		needs.Class = "m7g.medium"
		size.Passing, size.Options = &needs, []sizes.SizeOption{{}}
		if err := document.Text(&text, size.Document(), 80); err != nil {
			t.Fatal(err)
		}
		if first := strings.Join(strings.Fields(text.String()), " "); !strings.Contains(first, want) {
			t.Errorf("%.600s, want %s", first, want)
		}
	}
}
