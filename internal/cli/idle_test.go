package cli

import (
	"bytes"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/cli/command"
)

// idle matches lines that tell a reader nothing: true by definition, cross-references, and background of
// counters under read-only loads.
var idle = regexp.MustCompile(
	`(?i)by definition|see (below|above|--)|, below|nowhere (below|above)|stands? (below|above)|as (shown|listed) (below|above)|` +
		`without load in [^.]*(point-warm|point-cold|scan-cold|scan-warm)`)

// TestNoLineWithoutIdleLoads: no such line appears for the shipped runs, a fleet and a bill, and --all has
// at most 150 lines of 80 columns.
func TestNoLineWithoutIdleLoads(t *testing.T) {
	t.Parallel()
	runs, err := filepath.Glob(filepath.Join(shippedRuns, "*.jsonl*"))
	if err != nil || len(runs) < 10 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	check := func(args ...string) (text string) {
		t.Helper()
		var printed bytes.Buffer
		if code := Main(command.Env{Out: &printed, Err: io.Discard, Now: time.Now, Getenv: func(string) string {
			return ""
		}}, args); code != command.ExitDone && code != command.ExitCannotTell {
			return "" // a run without sizes
		}
		out := printed.String()
		for _, said := range idle.FindAllString(strings.Join(strings.Fields(out), " "), -1) {
			t.Errorf("realiops %s says %q", strings.Join(args, " "), said)
		}
		return out
	}
	for _, run := range runs {
		const most = 150
		if text := check("report", run, "--all"); strings.Count(text, "\n") > most || text == "" {
			t.Errorf("%s --all: %d lines", run, strings.Count(text, "\n"))
		}
		check("report", run)
		check("report", run, "--format", "html", "--gib", "500")
		check("report", run, "--format", "md")
		check("size", run, "--gib", "500")
	}
	check("compare", filepath.Join(shippedRuns, "local-pg15.jsonl.zst"),
		filepath.Join(shippedRuns, "local-pg17.jsonl.zst"))
	check("report", filepath.Join(shippedRuns, "default-pg17.jsonl.zst"), "-v")
	machines, _ := filepath.Glob("../../testdata/fleet/*.json")
	for _, args := range [][]string{
		append([]string{"fleet", "--dir", filepath.Join(t.TempDir(), "fleet"), "--has", "../../testdata/fleet/has.csv"},
			machines...),
		{"aws", "cost", "--month", "reads=2.43e9,writes=9e6,gib=800", "--class", "db.r6g.large"},
		{"aws", "cost", "--from", shopFiles + "metrics.json", "--instance", "shop-1=db.r6g.large"},
	} {
		if check(args...) == "" {
			t.Errorf("realiops %s has no answer", strings.Join(args, " "))
		}
	}
	if !idle.MatchString("LOGICAL by definition, since") || !idle.MatchString("CANNOT TELL one of three, below") {
		t.Error("the class is not found where it is")
	}
}
