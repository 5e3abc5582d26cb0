package sizing_test

import (
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// TestTimeWithoutWritesCounts: in its first part a server writes, and in its second it only reads, which is no load of
// an observation. Its disk must carry both.
func TestTimeWithoutWritesCounts(t *testing.T) {
	sized := func(writing, reading int) (sizing.Sizing, error) {
		start := time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC)
		records := []runfile.Record{runfile.Run{Schema: runfile.Schema, ID: "20261118-000000-abcd", Start: start,
			Observed: true, Target: runfile.Target{Kind: "history", Flavor: "postgres"}}}
		disk := needs.OfDisk()
		values := map[string]float64{metric.CommitsOfAll: 0, metric.StatWALRecords: 0, metric.StatWALBytes: 0}
		for _, name := range append(disk.Names(), metric.BlockFlushes) {
			values[name] = 0
		}
		for name := range values {
			records = append(records, metric.All().Row(name).Announced())
		}
		for second := range writing + reading {
			now := map[string]float64{}
			values[metric.CommitsOfAll] += 10
			if second < writing {
				values[disk.Writes], values[disk.WriteBytes] = values[disk.Writes]+100, values[disk.WriteBytes]+100*8192
				values[metric.StatWALRecords], values[metric.StatWALBytes] = values[metric.StatWALRecords]+500,
					values[metric.StatWALBytes]+500_000
			} else {
				values[disk.Reads], values[disk.ReadBytes] = values[disk.Reads]+5000, values[disk.ReadBytes]+5000*8192
			}
			for name, v := range values {
				now[name] = v
			}
			records = append(records, runfile.Reading{At: start.Add(time.Duration(second+1)*time.Second - time.Millisecond),
				Probe: "x", Values: now})
		}
		run, err := tally.FromRun(runfiletest.Sequence(records))
		if err != nil {
			t.Fatal(err)
		}
		return sizing.Size(sizing.Ask{GiB: 500}, run)
	}
	for _, c := range []struct {
		writing, reading int
		says             string // 5,000 reads of 8,192 bytes: 41 MB/s
	}{
		{300, 300, "of 119 stretches of 5 seconds the disk did more than this order carries, up to 5,000 requests/s and " +
			"41 MB/s"},
		{300, 0, ""},
	} {
		s, err := sized(c.writing, c.reading)
		text := strings.Join(s.Cautions, "; ")
		if err != nil || strings.Contains(text, "than this order carries") != (c.says != "") ||
			!strings.Contains(text, c.says) {
			t.Errorf("%d s of writes and %d s of reads: %q, %v; want %q", c.writing, c.reading, text, err, c.says)
		}
	}
	const want = "the server wrote almost nothing, so its loads cannot be told apart; its disk did up to 5,000 requests/s " +
		"and 41 MB/s: realiops size --need 'iops=5000,mbps=40.960' sizes for it"
	if _, err := sized(0, 300); err == nil || err.Error() != want {
		t.Errorf("reads alone: %v, want %s", err, want)
	}
}
