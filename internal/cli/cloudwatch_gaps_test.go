package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/accounttest"
)

// cloudWatchGaps lists instances, and the points of 240 for which CloudWatch lacks a metric, or all.
var cloudWatchGaps = map[string]struct {
	metric string // empty: all
	hole   [2]int
}{
	"whole": {}, "late": {"", [2]int{0, 100}}, "early": {"", [2]int{200, 240}},
	"early-bytes": {"WriteThroughput", [2]int{200, 240}}, "hole": {"", [2]int{140, 180}},
}

// plantGaps creates the instances with a name prefix, each with 150 reads and 250 writes of 8 KiB a second.
func plantGaps(t *testing.T, s *accounttest.StandIn, prefix string, from time.Time, step time.Duration) {
	t.Helper()
	for name, c := range cloudWatchGaps {
		s.Create(t, "CreateDBInstance", "DBInstanceIdentifier="+prefix+name+"&Engine=postgres&"+
			"DBInstanceClass=db.m5.large&AllocatedStorage=500&StorageType=io1&Iops=5000")
		for metric, v := range map[string]float64{"ReadIOPS": 150, "WriteIOPS": 250, "ReadThroughput": 150 * 8192,
			"WriteThroughput": 250 * 8192} {
			hole := c.hole
			if c.metric != "" && metric != c.metric {
				hole = [2]int{}
			}
			for _, part := range [][2]int{{0, hole[0]}, {hole[1], 240}} {
				s.Put(t, accounttest.Series{Namespace: "AWS/RDS", Metric: metric,
					From: from.Add(time.Duration(part[0]) * step), Step: step,
					Dimensions: map[string]string{"DBInstanceIdentifier": prefix + name},
					Values:     slices.Repeat([]float64{v}, part[1]-part[0])})
			}
		}
	}
}

// TestCloudWatchKnowsItsGaps: for instances with gaps at an end or inside, fleet reports the known hours and orders
// nothing if the last week has gaps; history and size report the unknown time.
func TestCloudWatchKnowsItsGaps(t *testing.T) {
	s := accounttest.Start(t)
	s.Setenv(t)
	const hours = 240
	to := time.Now().Add(-time.Hour).UTC().Truncate(time.Hour)
	run := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		env := command.Env{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Getenv: os.Getenv,
			Now: func() time.Time {
				return to.Add(time.Hour)
			}}
		if code := Main(env, append(args, "--region", accounttest.Region)); code != command.ExitDone {
			t.Fatalf("%v: exit status %d: %s%s", args, code, &stdout, &stderr)
		}
		return stdout.String()
	}
	words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	plantGaps(t, s, "", to.Add(-hours*time.Hour), time.Hour)
	dir := filepath.Join(t.TempDir(), "fleet")
	all := fleetOf(t, run("fleet", "--aws", "--for", "10d", "--dir", dir, "--format", "json"))
	for name, c := range cloudWatchGaps {
		if d := all[name]; d.Hours != hours || d.Known != hours-c.hole[1]+c.hole[0] ||
			(d.Order != nil) != (name == "whole") {
			t.Errorf("%s: %d of %d h, order %v, lacks %q", name, d.Known, d.Hours, d.Order, d.Lacks)
		}
	}
	text := words(run("fleet", dir, "--top", "9"))
	for _, want := range []string{"4 are known for only part of that time",
		"early, early-bytes: no order: no data since ", "hole: known 200 of 240 h, 40 hours missing in between",
		"hole: no order: only 128 of the last 168 hours are known", "late: no order: no data before "} {
		if !strings.Contains(text, want) {
			t.Errorf("the fleet does not say %q: %s", want, text)
		}
	}
	from := to.Add(-4 * time.Hour)
	plantGaps(t, s, "minutes-", from, time.Minute)
	for name, c := range cloudWatchGaps {
		path := filepath.Join(t.TempDir(), name+".jsonl")
		shown := run("history", "--instance", "minutes-"+name, "--for", "4h", "-o", path)
		sized, _ := runs(t, command.ExitDone, "size", path, "--gib", "500")
		at := func(minute int) string {
			return from.Add(time.Duration(minute) * time.Minute).Format("2006-01-02 15:04")
		}
		hole := fmt.Sprintf("%s of these 4 h are missing (the longest gap: %s to %s UTC)",
			map[int]string{40: "40 min", 100: "1 h 40 min"}[c.hole[1]-c.hole[0]], at(c.hole[0]), at(c.hole[1]))
		_, headline, _ := strings.Cut(shown, "In its busiest minute")
		for what, said := range map[string]string{"history": headline, "size": sized} {
			first, _, _ := strings.Cut(said, "\n\n")
			if is, want := strings.Contains(words(first), hole), name != "whole"; is != want ||
				strings.Contains(words(said), "missing (the longest gap") != want {
				t.Errorf("%s of %s begins with %s; want %q", what, name, first, hole)
			}
		}
		for line := range strings.Lines(shown) {
			if hour := strings.Fields(line); len(hour) == 5 && hour[1] != "to" && strings.HasSuffix(hour[0], ":00") &&
				(!slices.Contains([]string{"400", "-"}, hour[1]) || hour[2] != hour[1] ||
					!slices.Contains([]string{"3.3", "-"}, hour[3]) || hour[4] != hour[3]) {
				t.Errorf("%s: of an hour of the day it says %q", name, line)
			}
		}
	}
}
