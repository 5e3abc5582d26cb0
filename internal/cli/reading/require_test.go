package reading

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/runfile"
)

func TestRequiredNames(t *testing.T) {
	known := []string{"block/flushes", "block/requests", "cloudwatch/WriteIOPS", "pgstat.io/writes",
		"pgstat.io/wal_fsyncs", "odd[1]"}
	check := func(patterns, want, wrong string) {
		t.Helper()
		o := RequireOptions{strings.Fields(patterns)}
		got, err := o.Names(known)
		if diff := cmp.Diff(strings.Fields(want), got); wrong == "" && (diff != "" && want != "" || err != nil) {
			t.Errorf("%s: %v\n%s", patterns, err, diff)
		}
		if wrong != "" && (err == nil || err.Error() != wrong) {
			t.Errorf("%s: got %v\nwant %s", patterns, err, wrong)
		}
	}
	check("", "", "")
	check("block/requests", "block/requests", "")
	check("block/* block/requests", "block/flushes block/requests", "")
	check("*IOPS", "cloudwatch/WriteIOPS", "")
	check("odd[1]", "odd[1]", "")
	check("/proc/diskstats*flushes", "block/flushes block/requests", "")
	check("flushes", "block/flushes", "")
	check("writeiops", "cloudwatch/WriteIOPS", "")
	check("pg_stat_io.fsyncs?(wal)", "pgstat.io/wal_fsyncs", "")
	check("pg_stat_io.*", "pgstat.io/writes pgstat.io/wal_fsyncs", "")
	check("pg_stat_wal.wal_sync", "", "--require pg_stat_wal.wal_sync: this server shows it as pg_stat_io.fsyncs (wal)")
	check("pg_stat_io.fsyncs(wal)", "",
		"--require pg_stat_io.fsyncs(wal): the run has no such metric; the nearest is pg_stat_io.fsyncs (wal)")
	check("*", strings.Join(known, " "), "")
	check("cloudwatch/WriteIOP", "",
		"--require cloudwatch/WriteIOP: the run has no such metric; the nearest is cloudwatch/WriteIOPS")
	check("io/writes", "pgstat.io/writes", "")
	check("blok/requets", "", "--require blok/requets: the run has no such metric; the nearest is block/requests")
	check("flushs", "", "--require flushs: the run has no such metric; the nearest is /proc/diskstats flushes")
	check("block/[", "", "--require block/[: missing ]")
	known = nil
	check("x", "", `--require "x": the run has no such metric (-v lists those it has)`)
}

func TestUnmet(t *testing.T) {
	verdict := func(name string, kind attribution.Kind) attribution.Verdict {
		return attribution.Verdict{Metric: runfile.Metric{Name: name}, Kind: kind}
	}
	verdicts := attribution.Verdicts{Metrics: []attribution.Verdict{
		verdict("a", attribution.Logical), verdict("b", attribution.CannotTell), verdict("c", attribution.Silent),
	}}
	check := func(required string, code int, text string) {
		t.Helper()
		err := unmet(strings.Fields(required), verdicts, 160000)
		if command.CodeOf(err) != code || err != nil && err.Error() != text {
			t.Errorf("%s: %d, %v", required, command.CodeOf(err), err)
		}
	}
	check("", 0, "")
	check("a c", 0, "")
	check("a b", 3, "no verdict on b, which was required")
	check("b d", 3, "no verdict on b, d, which was required")
	// its name up to 16
	check("pgstat.checkpointer/buffers_written", 3,
		"no verdict on pg_stat_bgwriter.buffers_checkpoint, which was required")
}
