package gaps

import (
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/runfile"
)

// TestMissingFromAWS: what was not collected can still be, what is gone cannot, and a metric that a database never
// had is no loss.
func TestMissingFromAWS(t *testing.T) {
	const writes, volume, counter, other = "cloudwatch/WriteIOPS", "cloudwatch/VolumeWriteIOPs",
		"insights/db.IO.blks_read", "pgstat.wal/wal_bytes"
	announced := map[string]runfile.Metric{writes: {}, volume: {}, counter: {}, other: {}}
	const all = "None of the 3 metrics that AWS publishes for this server was collected, from CloudWatch and " +
		"Performance Insights"
	const asks = ", so they have no verdict. Fetch them with realiops aws collect."
	for name, c := range map[string]struct {
		gaps             []runfile.Gap
		came             []string
		lacking, without string
	}{
		"nobody asked": {nil, nil, all + asks, ""},
		"refused": {[]runfile.Gap{{Probe: "cloudwatch", Reason: runfile.Permission, Detail: "no"},
			{Probe: "pgstat", Reason: runfile.Failed, Detail: "lost"}}, nil, all + " (no)" + asks, ""},
		"all came": {nil, []string{writes, volume, counter}, "", ""},
		"Performance Insights is off": {
			[]runfile.Gap{{Probe: "insights", Reason: runfile.Disabled, Detail: "it is off"}},
			[]string{writes, volume}, "", "it is off. None of its metrics has a verdict."},
		"older than it keeps": {[]runfile.Gap{{Probe: "insights", Reason: runfile.Late, Detail: "it is gone"}},
			[]string{volume},
			"1 of the 3 metrics that AWS publishes for this server was not collected, from CloudWatch, so it has no " +
				"verdict. Fetch it with realiops aws collect.",
			"it is gone. None of its metrics has a verdict."},
		"a part of the run is gone": {
			[]runfile.Gap{{Probe: "insights", Reason: runfile.Late, Detail: "a part is gone"}},
			[]string{writes, volume, counter}, "", ""},
		"another instance": {[]runfile.Gap{{Probe: "cloudwatch", Metric: writes, Reason: runfile.Unsupported}},
			[]string{volume, counter}, "",
			"AWS has no points of CloudWatch WriteIOPS for the time of the run, although every running database has " +
				"them: was it another instance?"},
		"a counter that it does not have": {
			[]runfile.Gap{{Probe: "insights", Metric: counter, Reason: runfile.Unsupported}},
			[]string{writes, volume}, "", ""},
	} {
		var a AWS
		for _, g := range c.gaps {
			a.Add(g)
		}
		came := func(name string) bool { return slices.Contains(c.came, name) }
		if lacking, without := a.Lacking(runfile.Run{}, announced, came), a.Without(announced, came); lacking != c.lacking ||
			without != c.without {
			t.Errorf("%s: %q and %q, want %q and %q", name, lacking, without, c.lacking, c.without)
		}
	}
}

// TestServiceWithoutMetrics: a run that was to collect AWS's metrics and has none of a service says so.
func TestServiceWithoutMetrics(t *testing.T) {
	run := runfile.Run{Parameters: map[string]string{"aws": "false", "quick-aws": "true"},
		Target: runfile.Target{Cloud: &runfile.Cloud{Insights: true}}}
	came := func(string) bool { return true }
	insights := map[string]runfile.Metric{"insights/db.IO.blks_read": {}, "pgstat.wal/wal_bytes": {}}
	for want, announced := range map[string]map[string]runfile.Metric{
		"The run file has no metric of CloudWatch or Performance Insights, so none": nil,
		"The run file has no metric of CloudWatch, so none":                         insights,
	} {
		if got := new(AWS).Lacking(run, announced, came); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %s", got, want)
		}
	}
	var off AWS
	off.Add(runfile.Gap{Probe: "cloudwatch", Reason: runfile.Unsupported, Detail: "it has none"})
	if got := off.Lacking(run, insights, came); got != "" {
		t.Errorf("CloudWatch has nothing, and still: %s", got)
	}
	run.Parameters["quick-aws"] = "false"
	history := runfile.Run{Target: runfile.Target{Kind: "history"}}
	if got := new(AWS).Lacking(history, insights, func(string) bool { return false }); !strings.HasSuffix(got,
		"so it has no verdict. Read or export it again.") {
		t.Errorf("of a history: %s", got)
	}
	if got := new(AWS).Lacking(run, nil, came); got != "" {
		t.Errorf("nobody wanted them: %s", got)
	}
}
