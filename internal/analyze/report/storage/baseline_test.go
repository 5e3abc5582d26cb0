package storage_test

import (
	"encoding/csv"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/plot"
	"github.com/realiops/realiops/internal/analyze/report/storage"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// measuredStorage returns a baseline with large numbers and a job without device figures.
func measuredStorage() storage.Baseline {
	latency := func(mean, p50, p99 float64) *baseline.Latency {
		return &baseline.Latency{Mean: mean, P50: p50, P95: math.NaN(), P99: p99, P999: math.NaN()}
	}
	return storage.Baseline{
		Run: storage.BaselineRun{
			Program: "fio 3.33", Set: "database", SizeBytes: 1 << 30, Direct: true, Status: "complete",
			Storage: runfile.Storage{Directory: "/data", Device: "nvme0n1", FileSystem: "xfs"},
		},
		Jobs: []storage.BaselineJob{
			{
				Name: "sequential-write", Seconds: 10, Factor: 2, Flushed: math.NaN(), Band: "look into it",
				Findings: []string{"fio kept 3.0 operations in flight instead of 8 asked for"},
				Fio: storage.BaselineFio{Writes: 1234567, WriteBytes: 12345e6, InFlight: 8,
					Write: latency(0.0187, 0.012, 1.25)},
				Device: &storage.BaselineDevice{
					Requests: 2469134, Writes: 2469134, Flushes: 12345, Merged: 54321, WriteBytes: 12345e6,
					ReadLatency: math.NaN(), WriteLatency: 0.0187, FlushLatency: math.NaN(), Queue: 123.4,
				},
			},
			{
				Name: "commit", Seconds: 10, Factor: math.NaN(), Flushed: math.NaN(), Band: "excellent",
				Missing: &series.Missing{Reason: "not-local",
					Detail: "/data is on nfs: its disk cannot be seen from this machine"},
				Fio: storage.BaselineFio{Writes: 500, Syncs: 500, WriteBytes: 4096e3, InFlight: 1,
					Write: latency(0.0000125, 0.00001, 0.00002), Sync: latency(0.0019, 0.0018, 0.005)},
			},
		},
		LeftOut: []baseline.LeftOut{{Job: "random-read", Why: "fio was killed (signal: killed)"}},
		Buffered: &baseline.Buffered{
			Said: 2e9, Direct: 50e6, Device: 40e6, Bytes: 1e9, Behind: 980e6, Flushed: 20,
		},
		Throttle: &baseline.Throttle{
			Found: true, At: new(time.Date(2026, 3, 1, 12, 0, 30, 0, time.UTC)), Seconds: 30, P: 1e-9,
			Before: &baseline.Level{Operations: 3000, Bytes: 24576e3, Latency: 0.0053}, After: &baseline.Level{
				Operations: 300, Bytes: 2457600, Latency: 0.0533},
			Buckets: []baseline.Bucket{{Title: "EBS gp2", Of: "IOPS", GiB: 100, Burst: 3000, Base: 300,
				Full: 2000, Held: 1.5}},
		},
		Warnings: []string{"Others use the device: 50 requests/s without any job."},
	}
}

const measuredText = `fio 3.33 on /data, device nvme0n1 (xfs); jobs: database, on 1,024 MiB
! No result of random-read: fio was killed (signal: killed).
! Others use the device: 50 requests/s without any job.
! sequential-write: fio kept 3.0 operations in flight instead of 8 asked for.

What fio reports (per second; times in ms, of the slowest kind of operation)

job                  writes  flushes      MB  mean   p50    p99       latency
sequential-write  1,234,567           12,345  18.7  12.0  1,250  look into it
commit                  500      500     4.1   1.9   1.8    5.0     excellent

What the device did meanwhile, as the kernel counted it

                            for one                       read write flush
job               requests of fio's merged flushes     MB   ms    ms    ms queue
sequential-write 2,469,134     2.00 54,321  12,345 12,345    -  18.7     -   123
commit                   -        -      -       -      -    -     -     -     -
- /data is on nfs: its disk cannot be seen from this machine

The same write through the page cache

Through the page cache, as with dd, the write reports 2,000 MB/s. With direct
I/O it reported 50 MB/s. During the cached write the device wrote 40 MB/s. When
it was "done", 980 of the 1,000 MB were still in memory, and took another 20 s.

Was it throttled?

After 30 s, at 12:00:30 UTC, the rate fell from 3,000 operations/s and 25 MB/s
to 300 and 2.5, and the latency rose from 5.3 ms to 53.3 (p < 0.001).
It fits EBS gp2 of about 100 GiB: 3,000 IOPS while there are credits, 300
without. A full bucket lasts 2,000 s; this one held 1.5% at the beginning.
`

func TestBaselineText(t *testing.T) {
	var page strings.Builder
	if err := document.Text(&page, measuredStorage().Document(&counts.Run{}), 80); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	if diff := cmp.Diff(measuredText, text); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("longer than 80 columns: %s", line)
		}
	}
}

// TestBaselinePageHoldsWhatWasMeasured: the cautions, the tables, a picture of each quantity, and what is in no table.
func TestBaselinePageHoldsWhatWasMeasured(t *testing.T) {
	v := measuredStorage()
	v.LeftOut[0].Why = "<script>alert(1)</script>"
	page := v.Document(&counts.Run{})
	var inHTML, inMarkdown strings.Builder
	if err := errors.Join(document.HTML(&inHTML, page), document.Markdown(&inMarkdown, page)); err != nil {
		t.Fatal(err)
	}
	html, markdown := inHTML.String(), inMarkdown.String()
	if strings.Contains(html, "<script>") || strings.Contains(markdown, "<script>") {
		t.Error("a reason is markup")
	}
	for _, want := range []string{"1,234,567", "2,469,134", "Others use the device", "fio kept 3.0 operations",
		"No result of random-read", "980 of the 1,000 MB", "EBS gp2 of about 100 GiB"} {
		if !strings.Contains(html, want) || !strings.Contains(markdown, want) {
			t.Errorf("no %q", want)
		}
	}
	var pictures [][]string
	for _, p := range picturesIn(page.Blocks) {
		var bars []string
		for _, b := range p.Bars {
			bars = append(bars, b.Text)
		}
		pictures = append(pictures, bars)
	}
	want := [][]string{
		{"sequential-write, fio: 1,234,567 a second", "device: 2,469,134 a second", "commit, fio: 500 a second",
			"commit, flushes, fio: 500 a second"},
		{"sequential-write, fio: 12,345 MB a second", "device: 12,345 MB a second", "commit, fio: 4.10 MB a second"},
		{"sequential-write, fio: 18.7 ms; 99 of 100 within 1,250 ms", "device: 18.7 ms",
			"commit, fio: 1.90 ms; 99 of 100 within 5.0 ms"},
	}
	if diff := cmp.Diff(want, pictures); diff != "" {
		t.Errorf("bars (-want +got):\n%s", diff)
	}
}

// TestBaselineCSVHasBothAccounts of every job, and empty cells for unknown figures.
func TestBaselineCSVHasBothAccounts(t *testing.T) {
	var written strings.Builder
	if err := document.CSV(&written, measuredStorage().Document(&counts.Run{})); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(written.String())).ReadAll()
	if err != nil || len(lines) != 3 {
		t.Fatalf("%v: %v", err, lines)
	}
	of := func(job int) map[string]string {
		got := map[string]string{}
		for i, name := range lines[0] {
			if lines[job][i] != "" {
				got[name] = lines[job][i]
			}
		}
		return got
	}
	want := map[string]string{
		"job": "commit", "seconds": "10", "fio reads": "0", "fio writes": "500", "fio flushes": "500",
		"fio read bytes": "0", "fio write bytes": "4.096e+06",
		"fio write mean": "1.25e-05", "fio write p50": "1e-05", "fio write p99": "2e-05", "fio flush mean": "0.0019",
		"fio flush p50": "0.0018", "fio flush p99": "0.005",
	}
	if diff := cmp.Diff(want, of(2)); diff != "" {
		t.Errorf("without a device (-want +got):\n%s", diff)
	}
	if got := of(1); got["device writes"] != "2.469134e+06" || got["device queue"] != "123.4" ||
		got["requests per operation"] != "2" {
		t.Errorf("%v", got)
	}
}

// picturesIn returns the pictures of blocks, in order.
func picturesIn(blocks []document.Block) (all []*plot.Picture) {
	for _, b := range blocks {
		switch b := b.(type) {
		case document.Section:
			all = append(all, picturesIn(b.Blocks)...)
		case interface{ Within() []document.Block }:
			all = append(all, picturesIn(b.Within())...)
		case document.Figure:
			for _, p := range b.Pictures {
				all = append(all, p.(*plot.Picture))
			}
		}
	}
	return all
}
