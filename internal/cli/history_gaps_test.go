package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

// TestHistoryWithoutFlushes: if the kernel does not count flushes, as before Linux 5.5, the size covers all requests,
// and says what that leaves open.
func TestHistoryWithoutFlushes(t *testing.T) {
	t.Parallel()
	planted, _, last := prometheustest.Observation(t, observed)
	older := slices.DeleteFunc(slices.Clone(planted), func(s prometheustest.Series) bool {
		return strings.HasPrefix(s.Name, "node_disk_flush")
	})
	sized := func(series []prometheustest.Series) (text string, size sizes.Size) {
		path := filepath.Join(t.TempDir(), "through.jsonl")
		runs(t, command.ExitDone, "history", "--prometheus", prometheustest.Start(t, series...), "--until",
			last.Add(time.Second).Format(time.RFC3339), "--for", "1h", "-o", path)
		out, _ := runs(t, command.ExitDone, "size", path)
		return strings.Join(strings.Fields(out), " "), sizedOf(t, path)
	}
	_, with := sized(planted)
	text, without := sized(older)
	// a percentile of a sum is at most the sum of the percentiles
	if all, apart := without.Sized.Rate.Requests(), with.Sized.Rate; !(all > apart.Requests()) ||
		all > apart.Requests()+apart.Flushes {
		t.Errorf("%v requests, of which nobody knows how many are flushes; with those apart: %v and %v", all,
			apart.Requests(), apart.Flushes)
	}
	if with.Sized.Rate.Flushes == 0 || !strings.Contains(text, "Flushes: the source does not count them") {
		t.Errorf("what it leaves open is not said: %s", text)
	}
	if order, _, _ := strings.Cut(text, "What decides:"); !strings.Contains(order, "Flushes were not counted apart from writes: this order may be too large.") {
		t.Errorf("the order does not say first that it may be too large: %s", order)
	}
}

// TestHistoryAmongManyExporters: --server alone selects one server in a store with many exporters.
func TestHistoryAmongManyExporters(t *testing.T) {
	t.Parallel()
	planted := handedOn("idle", plantedIdle())
	for i := range 4 {
		planted = append(planted, serverOn(fmt.Sprintf("db%d", i), "", 0, 6*time.Hour, time.Minute,
			100*float64(i+1), 0)...)
	}
	url := prometheustest.Start(t, planted...)
	read := func(server string, more ...string) sizes.Size {
		path := filepath.Join(t.TempDir(), "one.jsonl")
		runs(t, command.ExitDone, append([]string{"history", "--prometheus", url, "--until",
			fleetBegin.Add(6 * time.Hour).Format(time.RFC3339), "--for", "6h", "-o", path, "--server", server},
			more...)...)
		return sizedOf(t, path, "--gib", "100")
	}
	cents(t, "an instance of RDS", read(`dimension_DBInstanceIdentifier="idle"`, "--flavor",
		"rds").Needs[0].Mean.Requests(), 100)
	cents(t, "the server db2", math.Round(read(`instance="db2:9187"`).Sized.Rate.Requests()), 300)
	_, said := runs(t, command.ExitUsage, "history", "--prometheus", url, "--until",
		fleetBegin.Add(6*time.Hour).Format(time.RFC3339), "--for", "6h", "--server", `instance="nobody"`)
	if !strings.Contains(said, "no metric of PostgreSQL") || !strings.Contains(said, "disks of 4 machines") {
		t.Error(said)
	}
}

// sadf returns the output of sadf -j for a machine: intervals of that length, each with the reads
// and writes of 8 KiB per second.
func sadf(seconds int, rates ...[2]int) string {
	var all []string
	at := fleetBegin.Add(8 * time.Hour)
	for _, r := range rates {
		at = at.Add(time.Duration(seconds) * time.Second)
		all = append(all, fmt.Sprintf(
			`{"timestamp": {"date": %q, "time": %q, "utc": 1, "interval": %d}, "io": {"io-reads": {"rtps": %d, "bread": %d}, "io-writes": {"wtps": %d, "bwrtn": %d}}}`,
			at.Format(time.DateOnly), at.Format(time.TimeOnly), seconds, r[0], 16*r[0], r[1], 16*r[1]))
	}
	return `{"sysstat": {"hosts": [{"nodename": "old", "statistics": [` + strings.Join(all, ",") + "]}]}}"
}

// TestHistoryOfShortFiles: however little sysstat has, its rates are shown, without verdicts. Too
// little for a size is reported.
func TestHistoryOfShortFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		says []string
		size float64 // 0: too little
	}{
		"30 s": {sadf(10, [2]int{20, 12}, [2]int{20, 12}, [2]int{40, 12}), []string{"observed for 30 s",
			"In its busiest 10 seconds, 1 Nov 08:00 UTC, storage did 52 requests/s; the median is 32", "08:00 39 " +
				"52"}, 0},
		"odd": {sadf(601, [2]int{20, 12}, [2]int{40, 12}),
			[]string{"observed for 20 min 2 s", "storage did 52 requests/s"}, 0},
		"hours": {sadf(600, slices.Repeat([][2]int{{20, 12}, {100, 12}}, 12)...),
			[]string{"observed for 4 h", "In its busiest hour", "storage did 72 requests/s", "09:00 72 72"}, 112},
	} {
		file, path := filepath.Join(t.TempDir(), "sadf.json"), filepath.Join(t.TempDir(), "old.jsonl")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, _ := runs(t, command.ExitDone, "history", file, "--all", "-o", path)
		out = strings.Join(strings.Fields(out), " ")
		for _, part := range c.says {
			if !strings.Contains(out, part) {
				t.Errorf("%s: it does not say %q: %s", name, part, out)
			}
		}
		for _, word := range []string{"PHYSICAL", "CANNOT TELL", "nothing was written", "windows"} {
			if strings.Contains(out, word) {
				t.Errorf("%s: it says %q: %s", name, word, out)
			}
		}
		if c.size > 0 {
			cents(t, name, sizedOf(t, path, "--percentile", "100", "--gib", "100").Sized.Rate.Requests(), c.size)
		} else if _, said := runs(t, command.ExitUsage, "size", path); !strings.Contains(said,
			"sizing needs four whole hours of history") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

// TestHistoryOfAuroraIsNoVerdict: with CloudWatch's periods alone, no output calls a metric physical
// or logical; the rates are shown.
func TestHistoryOfAuroraIsNoVerdict(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "aurora.jsonl")
	out, _ := runs(t, command.ExitDone, "history", "../../testdata/history/orders.json", "--flavor", "aurora",
		"--instance", "orders", "-o", path)
	if strings.Contains(out, "PHYSICAL") || strings.Contains(out, "LOGICAL") ||
		!strings.Contains(out, "CloudWatch WriteIOPS") {
		t.Errorf("%s", out)
	}
	asJSON, _ := runs(t, command.ExitDone, "report", path, "--format", "json")
	for _, verdict := range []string{`"physical"`, `"logical"`} {
		if strings.Contains(asJSON, `"verdict": `+verdict) {
			t.Errorf("JSON has a verdict %s", verdict)
		}
	}
}

// TestHistoryOfOneByteARequest: impossibly small requests are reported and nothing is ordered, as in a fleet.
func TestHistoryOfOneByteARequest(t *testing.T) {
	t.Parallel()
	planted := serverOn("db1", "", 0, 6*time.Hour, time.Minute, 400, 0)
	for i, s := range planted {
		if !strings.Contains(s.Name, "bytes") {
			continue
		}
		planted[i].Samples = slices.Clone(s.Samples)
		for j := range s.Samples {
			planted[i].Samples[j].Value /= 8192 // of 8 KiB each
		}
	}
	file, path := filepath.Join(t.TempDir(), "db1.om"), filepath.Join(t.TempDir(), "db1.jsonl")
	if err := os.WriteFile(file, []byte(prometheustest.OpenMetrics(planted)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := runs(t, command.ExitDone, "history", file, "--all", "-o", path)
	if !strings.Contains(strings.Join(strings.Fields(out), " "),
		"requests a second, which would carry 1.0 bytes each, but the minimum is 512") {
		t.Error(out)
	}
	if out, said := runs(t, command.ExitUsage, "size", path, "--gib", "500"); strings.Contains(out, "Order") ||
		!strings.Contains(said, "its requests average 1.00 bytes, below the minimum of 512") {
		t.Errorf("%s%s", out, said)
	}
}

// TestHistoryIsSizedForItsPeak: for a server with one kind of work and a peak, the size is for the worst windows if
// asked, instead of the mean of the whole.
func TestHistoryIsSizedForItsPeak(t *testing.T) {
	t.Parallel()
	planted := serverOn("db1", "", 0, 12*time.Hour, time.Minute, 0, 0)
	for i, s := range planted {
		scale := map[string]float64{"node_disk_writes_completed_total": 1,
			"node_disk_written_bytes_total": 8192}[s.Name]
		const peak, ends = 6 * time.Hour, 7 * time.Hour
		planted[i].Samples = between(0, 12*time.Hour, time.Minute, func(since time.Duration) float64 {
			return scale * (100*since.Seconds() + 900*max(0, min(since, ends)-peak).Seconds())
		})
	}
	file, path := filepath.Join(t.TempDir(), "db1.om"), filepath.Join(t.TempDir(), "db1.jsonl")
	if err := os.WriteFile(file, []byte(prometheustest.OpenMetrics(planted)), 0o600); err != nil {
		t.Fatal(err)
	}
	runs(t, command.ExitDone, "history", file, "-o", path)
	cents(t, "the worst window",
		math.Round(sizedOf(t, path, "--gib", "500", "--percentile", "100").Sized.Rate.Requests()), 1000)
	// no less than the mean
	cents(t, "the median window",
		math.Round(sizedOf(t, path, "--gib", "500", "--percentile", "50").Sized.Rate.Requests()), 175)
	if out, _ := runs(t, command.ExitDone, "size", path, "--gib", "500", "--percentile",
		"50"); !strings.Contains(strings.Join(strings.Fields(out), " "), "up to 1,000 requests/s") {
		t.Errorf("what is beyond the order is not said: %s", out)
	}
}

// TestSizeOfAHistoryWithAHole: an order from a history with a gap, inside or at an end, begins by saying so, since
// the gap may have needed more. The known part is sized by its own time, however sparse its samples are.
func TestSizeOfAHistoryWithAHole(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	scraped := func(step time.Duration, holes ...time.Duration) []prometheustest.Series {
		planted := serverOn("db1", "", 0, 12*time.Hour, step, 400, 0)
		// of its commits, whose exporter ran all the time
		planted[4].Samples = between(0, 12*time.Hour, step, time.Duration.Seconds)
		for i, s := range planted[:4] {
			planted[i].Samples = slices.DeleteFunc(slices.Clone(s.Samples), func(s prometheustest.Sample) bool {
				after := s.At.Sub(fleetBegin)
				return len(holes) == 2 && after > holes[0] && after < holes[1]
			})
		}
		return planted
	}
	dumped := func(step time.Duration, holes ...time.Duration) string {
		return prometheustest.OpenMetrics(scraped(step, holes...))
	}
	day := strings.SplitAfter(strings.TrimSuffix(sadf(600, slices.Repeat([][2]int{{20, 380}}, 72)...), "]}]}}"),
		`{"timestamp"`)
	kept := func(from, to int) string {
		return strings.TrimSuffix(strings.Join(slices.Delete(slices.Clone(day), from, to), ""), `,{"timestamp"`) +
			"]}]}}"
	}
	// PostgreSQL every hour and the disk more often, and neither for two hours
	mixed := func(step, until time.Duration) string {
		var all []prometheustest.Series
		for _, s := range slices.Concat(scraped(step)[:4], scraped(hour)[4:]) {
			s.Samples = slices.DeleteFunc(s.Samples, func(s prometheustest.Sample) bool {
				after := s.At.Sub(fleetBegin)
				return after > 2*hour && after < 4*hour || after > until
			})
			all = append(all, s)
		}
		return prometheustest.OpenMetrics(all)
	}
	// flushes, of which there were none, whose series begins late
	flushes := func(from time.Duration) string {
		all := scraped(time.Minute)
		return prometheustest.OpenMetrics(append(all, prometheustest.Series{Name: "node_disk_flush_requests_total",
			Labels: all[0].Labels, Samples: between(from, 12*hour, time.Minute, func(time.Duration) float64 { return 0 })}))
	}
	for name, c := range map[string]struct{ file, text, says string }{
		"flushes, whole": {"db1.om", flushes(0), ""},
		"flushes, late": {"db1.om", flushes(3 * hour),
			"3 h of these 12 h are missing (the longest gap: 2026-11-01 00:00 to 2026-11-01 03:0"},
		"mixed":               {"db1.om", mixed(time.Minute, 8*hour), "are missing"},
		"mixed, half an hour": {"db1.om", mixed(hour/2, 8*hour), "are missing"},
		"whole":               {"db1.om", dumped(time.Minute), ""},
		"a hole": {"db1.om", dumped(time.Minute, 2*hour, 4*hour),
			"2 h of these 12 h are missing (the longest gap: 2026-11-01 02:00 to 2026-11-01 04:0"},
		"begins late": {"db1.om", dumped(time.Minute, -1, 3*hour),
			"3 h of these 12 h are missing (the longest gap: 2026-11-01 00:00 to 2026-11-01 03:0"},
		"ends early": {"db1.om", dumped(time.Minute, 7*hour, 13*hour),
			"5 h of these 12 h are missing (the longest gap: 2026-11-01 0"},
		"hourly, whole": {"db1.om", dumped(hour), ""},
		"hourly, a hole": {"db1.om", dumped(hour, 3*hour, 7*hour),
			"4 h of these 12 h are missing (the longest gap: 2026-11-01 03:00 to 2026-11-01 07:00"},
		"hourly, a short hole": {"db1.om", dumped(hour, 3*hour, 5*hour),
			"2 h of these 12 h are missing (the longest gap: 2026-11-01 03:00 to 2026-11-01 05:00"},
		"hourly, begins late": {"db1.om", dumped(hour, -1, 4*hour),
			"4 h of these 12 h are missing (the longest gap: 2026-11-01 00:00 to 2026-11-01 04:00"},
		"sysstat, whole": {"sadf.json", kept(1, 1), ""},
		"sysstat, an hour": {"sadf.json", kept(13, 19), "1 h of these 12 h is missing (the longest gap: 2026-11-01 " +
			"10:00 to 2026-11-01 11:00 UTC): if it was busier then, this order is too small."},
		"CloudWatch, whole": {"cw.json", pointsOf(12, nil), ""},
		"CloudWatch, a hole": {"cw.json", pointsOf(12, map[string][2]int{"WriteThroughput": {3, 5}}),
			"2 h of these 12 h are missing (the longest gap: 2026-11-01 03:00 to 2026-11-01 05:00 UTC)"},
		"CloudWatch, late": {"cw.json", pointsOf(12, map[string][2]int{"ReadIOPS": {0, 3}}),
			"3 h of these 12 h are missing (the longest gap: 2026-11-01 00:00 to 2026-11-01 03:00 UTC)"},
		"CloudWatch, few hours": {"cw.json", pointsOf(30, map[string][2]int{"ReadIOPS": {2, 27}, "WriteIOPS": {2, 27},
			"ReadThroughput": {2, 27}, "WriteThroughput": {2, 27}}), "25 h of these 30 h are missing"},
		"CloudWatch, in the means alone": {"cw.json",
			strings.TrimSuffix(pointsOf(12, map[string][2]int{"ReadIOPS": {3, 5}}), "]}") +
				strings.Replace(strings.ReplaceAll(pointsOf(12, nil), "Average", "Maximum"), `{"MetricDataResults": [`,
					",", 1),
			"2 h of these 12 h are missing (the longest gap: 2026-11-01 03:00 to 2026-11-01 05:00 UTC)"},
		"CloudWatch, ends early": {"cw.json", pointsOf(12, map[string][2]int{"WriteIOPS": {8, 12}}),
			"4 h of these 12 h are missing (the longest gap: 2026-11-01 08:00 to 2026-11-01 12:00 UTC)"},
	} {
		file, path := filepath.Join(t.TempDir(), c.file), filepath.Join(t.TempDir(), "db1.jsonl")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		history := []string{"history", file, "-o", path}
		if c.file == "cw.json" {
			history = append(history, "--flavor", "rds")
		}
		runs(t, command.ExitDone, history...)
		saysHole(t, name, path, c.says)
	}
	short, few := filepath.Join(t.TempDir(), "short.om"), filepath.Join(t.TempDir(), "short.jsonl")
	if err := os.WriteFile(short, []byte(mixed(time.Minute, 4*hour)), 0o600); err != nil {
		t.Fatal(err)
	}
	runs(t, command.ExitDone, "history", short, "-o", few)
	if _, said := runs(t, command.ExitUsage, "size", few); !strings.Contains(said,
		"too few readings: of 4 windows of 1 h, 2 have all counters") {
		t.Error(said)
	}
	// the store has only the last hours of the requested time
	url, path := prometheustest.Start(t, scraped(time.Minute)...), filepath.Join(t.TempDir(), "asked.jsonl")
	runs(t, command.ExitDone, "history", "--prometheus", url, "--until", fleetBegin.Add(12*hour).Format(time.RFC3339),
		"--for", "24h", "-o", path)
	saysHole(t, "a store", path,
		"12 h of these 24 h are missing (the longest gap: 2026-10-31 12:00 to 2026-11-01 00:0")
}

// saysHole checks that realiops size names the gap of a history of 400 requests a second in its first paragraph.
func saysHole(t *testing.T, name, path, says string) {
	t.Helper()
	out, _ := runs(t, command.ExitDone, "size", path, "--gib", "100")
	first, _, _ := strings.Cut(out, "\n\n")
	first = strings.Join(strings.Fields(first), " ")
	if said := strings.Contains(strings.Join(strings.Fields(out), " "), " missing (the longest "+
		"gap"); said != (says != "") ||
		!strings.Contains(first, says) {
		t.Errorf("%s: its first sentences are %s", name, first)
	}
	for _, percentile := range []string{"50", "99"} {
		if sized := sizedOf(t, path, "--gib", "100", "--percentile", percentile).Sized.Rate.Requests(); math.Abs(
			sized-400) > 4 {
			t.Errorf("%s: sized for %g requests/s at %s%%, want 400", name, sized, percentile)
		}
	}
}

// pointsOf returns CloudWatch's answer about hours of an RDS instance, with 150 reads and 250 writes of 8 KiB a
// second; some metrics lack some hours.
func pointsOf(hours int, without map[string][2]int) string {
	var results []string
	for metric, v := range map[string]float64{"ReadIOPS": 150, "WriteIOPS": 250, "ReadThroughput": 150 * 8192,
		"WriteThroughput": 250 * 8192} {
		var times, values []string
		for h := range hours {
			if hole, is := without[metric]; is && h >= hole[0] && h < hole[1] {
				continue
			}
			times = append(times, strconv.Quote(fleetBegin.Add(time.Duration(h)*time.Hour).Format(time.RFC3339)))
			values = append(values, strconv.FormatFloat(v, 'g', -1, 64))
		}
		results = append(results, fmt.Sprintf(
			`{"Id": "x", "Label": "%s Average shop", "Timestamps": [%s], "Values": [%s], "StatusCode": "Complete"}`,
			metric, strings.Join(times, ","), strings.Join(values, ",")))
	}
	return `{"MetricDataResults": [` + strings.Join(results, ",") + "]}"
}

// TestMaximumBelowTheMean: no hour's highest minute is below its mean. Where it is said to be, an order is for the mean,
// and says so at the top.
func TestMaximumBelowTheMean(t *testing.T) {
	t.Parallel()
	means := pointsOf(12, nil)
	maxima := strings.NewReplacer("Average", "Maximum", "250", "100").Replace(means)
	file, path := filepath.Join(t.TempDir(), "cw.json"), filepath.Join(t.TempDir(), "db1.jsonl")
	both := strings.TrimSuffix(means, "]}") + strings.Replace(maxima, `{"MetricDataResults": [`, ",", 1)
	if err := os.WriteFile(file, []byte(both), 0o600); err != nil {
		t.Fatal(err)
	}
	runs(t, command.ExitDone, "history", file, "-o", path, "--flavor", "rds")
	out, _ := runs(t, command.ExitDone, "size", path, "--gib", "100")
	first, _, _ := strings.Cut(out, "\n\n")
	if !strings.Contains(strings.Join(strings.Fields(first), " "), "At times the Maximum of WriteIOPS is below the mean") {
		t.Errorf("its first sentences are %s", first)
	}
	// 150 reads and 250 writes
	cents(t, "the median hour", math.Round(sizedOf(t, path, "--gib", "100", "--percentile", "50").Sized.Rate.Requests()), 400)
}

// TestHistoryOfASparseMetric: with one metric in 6 of 48 hours, the order is for these hours. The first sentences name the
// metric, and what the others did meanwhile that the order does not carry: in the last three hours there were 150 reads
// and 2,500 writes a second.
func TestHistoryOfASparseMetric(t *testing.T) {
	t.Parallel()
	for _, metric := range []string{"ReadThroughput", "ReadIOPS", "WriteThroughput"} {
		text := pointsOf(48, map[string][2]int{metric: {6, 48}})
		text = strings.Replace(text, strings.Repeat(",250", 3)+`], "StatusCode"`,
			strings.Repeat(",2500", 3)+`], "StatusCode"`, 1)
		file, path := filepath.Join(t.TempDir(), "cw.json"), filepath.Join(t.TempDir(), "shop.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		runs(t, command.ExitDone, "history", file, "-o", path, "--flavor", "rds")
		saysHole(t, metric, path, "42 h of these 2 days are missing (the longest gap: "+
			fleetBegin.Add(6*time.Hour).Format("2006-01-02 15:04")+" to "+
			fleetBegin.Add(48*time.Hour).Format("2006-01-02 15:04")+" UTC) for lack of "+metric+": ")
		out, _ := runs(t, command.ExitDone, "size", path, "--gib", "100")
		first, _, _ := strings.Cut(out, "\n\n")
		const want = "In 3 of 48 hours storage did more than this order carries, up to 2,650 requests/s"
		if !strings.Contains(strings.Join(strings.Fields(first), " "), want) {
			t.Errorf("%s: its first sentences are %s; want %s", metric, first, want)
		}
	}
}

// TestHistoryLosesASample: invalid points are skipped and counted; null is not 0. Later
// readers of the file are told as well.
func TestHistoryLosesASample(t *testing.T) {
	t.Parallel()
	for _, none := range []string{"NaN", "Infinity", "-Infinity", "null", "-1", `"NaN"`, "1e300"} {
		text := strings.Replace(pointsOf(24, nil), `"Values": [250,250,`, `"Values": [250,`+none+`,`, 1)
		file, path := filepath.Join(t.TempDir(), "cw.json"), filepath.Join(t.TempDir(), "shop.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		read, _ := runs(t, command.ExitDone, "history", file, "-o", path, "--flavor", "rds")
		reported, _ := runs(t, command.ExitDone, "report", path)
		sized, _ := runs(t, command.ExitDone, "size", path, "--gib", "100")
		for command, said := range map[string]string{"history": read, "report": reported, "size": sized} {
			const lost = `Skipped 1 of 24 points of "WriteIOPS Average shop" with invalid amounts (`
			first, _, _ := strings.Cut(said, map[bool]string{true: "Next cheapest", false: "Percentiles"}[command == "size"])
			if words := strings.Join(strings.Fields(said), " "); strings.Count(words, lost) != 1 ||
				!strings.Contains(strings.Join(strings.Fields(first), " "), lost) {
				t.Errorf("%s: %s says %s", none, command, said)
			}
		}
		saysHole(t, none, path,
			"1 h of these 24 h is missing (the longest gap: 2026-11-01 01:00 to 2026-11-01 02:00 UTC)")
	}
}

// TestHistoryOfCreditsAgainstTheirRule: 500 GiB of gp2 earn 1,500 a second, so a balance that falls by 2 % an
// hour at 400 is not that volume's.
func TestHistoryOfCreditsAgainstTheirRule(t *testing.T) {
	t.Parallel()
	for perHour, says := range map[int]bool{2: true, 0: false} {
		var times, values []string
		for h := range 24 {
			times = append(times, strconv.Quote(fleetBegin.Add(time.Duration(h)*time.Hour).Format(time.RFC3339)))
			values = append(values, strconv.Itoa(99-perHour*h))
		}
		balance := fmt.Sprintf(
			`,{"Id": "b", "Label": "BurstBalance Minimum shop", "Timestamps": [%s], "Values": [%s]}]}`,
			strings.Join(times, ","), strings.Join(values, ","))
		dir := t.TempDir()
		points, about, path := filepath.Join(dir, "cw.json"), filepath.Join(dir, "about.json"),
			filepath.Join(dir, "shop.jsonl")
		for file, text := range map[string]string{points: strings.TrimSuffix(pointsOf(24, nil), "]}") + balance,
			about: `{"DBInstances": [{"DBInstanceIdentifier": "shop", "Engine": "postgres", "StorageType": "gp2", "AllocatedStorage": 500}]}`} {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, _ := runs(t, command.ExitDone, "history", points, about, "-o", path)
		sized, _ := runs(t, command.ExitDone, "size", path, "--gib", "500")
		for command, said := range map[string]string{"history": out, "size": sized} {
			const want = "Its credits fell by 46% in 23 hours in which it did less than its 500 GiB of gp2 earn"
			if strings.Contains(strings.Join(strings.Fields(said), " "), want) != says {
				t.Errorf("%s of %d%% an hour: %s", command, perHour, said)
			}
		}
	}
}
