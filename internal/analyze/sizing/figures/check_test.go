package figures_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/sizing/figures"
)

// row is a row of a published table of eight volumes by instance type: 4 KB random by fio for 180 s with 16 jobs, first
// reading and then writing, read off CloudWatch (EBS by instance type, about 2021).
type row struct {
	name                   string
	readKB, writeKB        float64 // per second
	reads, writes          float64
	queue, readMs, writeMs float64
}

func published() []row {
	return []row{
		{"t2.medium 20 GB gp2", 446.97, 7402.1, 1727, 1752.93, 9, 5.16, 13.76},
		{"t2.medium 500 GB gp2", 7310.94, 62597.97, 1827.61, 489.04, 30.37, 5.06, 62.11},
		{"t2.medium 1000 GB gp2", 7011.96, 59634.88, 1752.99, 2096.93, 16.76, 5.39, 58.3},
		{"t2.medium 20 GB io", 7121.28, 4304.86, 1823.23, 1020.91, 15.87, 14.86, 69.8},
		{"m4.large 20 GB gp2", 7327.65, 9503.77, 1831.91, 1729.65, 9.42, 5.14, 5.28},
		{"m4.large 500 GB gp2", 6957.01, 28842.86, 1739.25, 1697.6, 16.22, 5.13, 5.74},
		{"m4.large 1000 GB gp2", 6779.6, 19382.12, 1694.6, 1896.63, 10.88, 5.25, 5.53},
		{"m4.large 20 GB io", 4087.33, 8838.13, 1021.83, 1027.33, 16.19, 15.63, 15.8},
	}
}

func (r row) figures() figures.Figures {
	f := figures.None()
	f.Reads = figures.Flow{Operations: r.reads, Bytes: r.readKB * 1024, Latency: r.readMs / 1000}
	f.Writes = figures.Flow{Operations: r.writes, Bytes: r.writeKB * 1024, Latency: r.writeMs / 1000}
	f.Queue, f.SaidSize = r.queue, 4096
	return f
}

func codes(found []figures.Finding) []string {
	var all []string
	for _, f := range found {
		all = append(all, f.Code)
	}
	return all
}

// TestImpossibleRows checks the consistency of the published table. The errors were computed by hand: KB/s by op/s
// against 4 KB, and op/s times ms against the queue.
func TestImpossibleRows(t *testing.T) {
	want := [][]string{
		{figures.OddSize},                     // reads of 0.26 KB, and writes of 4.2; 1,727 x 5.16 ms are 8.9 of 9
		{figures.OddSize},                     // writes of 128 KB; 489 x 62.11 ms are 30.37
		{figures.OddSize, figures.LittlesLaw}, // writes of 28 KB; 9.4 and 122 in flight, and 16.76 said
		{figures.LittlesLaw},                  // 27 and 71 in flight, and 15.87 said
		{figures.OddSize},                     // writes of 5.5 KB; 9.4 of 9.42
		{figures.OddSize},                     // writes of 17 KB; 8.9 + 9.7 of 16.22
		{figures.OddSize},                     // writes of 10.2 KB; 10.5 of 10.88
		{figures.OddSize},                     // writes of 8.6 KB; 16 and 16.2 of 16.19
	}
	for i, r := range published() {
		if diff := cmp.Diff(want[i], codes(r.figures().Check())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", r.name, diff)
		}
	}
}

// TestRatesAboveTheirCap: a volume of 1,000 provisioned operations did 1,823 of them on one instance, and 1,022 on
// another.
func TestRatesAboveTheirCap(t *testing.T) {
	check := func(i int, want bool) {
		t.Helper()
		f := published()[i].figures()
		f.CapIOPS = 1000
		if got := slices.Contains(codes(f.Check()), figures.AboveCap); got != want {
			t.Errorf("%s: %v", published()[i].name, got)
		}
	}
	check(3, true)
	check(7, false)
}

// TestBufferedWrites: 1.6 GB/s by dd on an m4.large, whose volumes get 56 MB/s.
func TestBufferedWrites(t *testing.T) {
	f := figures.None()
	f.Bytes, f.CapBytes, f.Buffered = 1.6e9, 56.25e6, true
	want := []figures.Finding{
		{Code: figures.AboveCap, Text: "1,600 MB/s, but the cap is 56.25: what was written stayed in memory"},
		{Code: figures.IsBuffered,
			Text: "written through the page cache: this is the speed of memory until it is full, not of the device"},
	}
	if diff := cmp.Diff(want, f.Check()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLittle: the queue is the rate times the latency.
func TestLittle(t *testing.T) {
	check := func(operations, ms, queue float64, want bool) {
		t.Helper()
		f := figures.None()
		f.Operations, f.Latency, f.Queue = operations, ms/1000, queue
		if got := slices.Contains(codes(f.Check()), figures.LittlesLaw); got != want {
			t.Errorf("%g/s of %g ms, queue %g: %v", operations, ms, queue, got)
		}
	}
	check(1000, 5, 5, false)
	check(1000, 5, 6, false)
	check(1000, 5, 9, true)
	check(1000, 5, 2, true)
}

func TestBands(t *testing.T) {
	check := func(rules figures.Rules, ms float64, latency string, queue float64, length string) {
		t.Helper()
		if got := rules.Latency.Of(ms / 1000); got != latency {
			t.Errorf("%g ms: %s, want %s", ms, got, latency)
		}
		if got := rules.Queue.Of(queue); got != length {
			t.Errorf("queue of %g: %s, want %s", queue, got, length)
		}
	}
	check(figures.DefaultRules(), 3.9, "excellent", 1.9, "short") // measured averages of a published run
	check(figures.DefaultRules(), 5, "good", 2, "a bottleneck if it lasts")
	check(figures.DefaultRules(), 10, "fair", 4.9, "a bottleneck if it lasts")
	check(figures.DefaultRules(), 15.1, "look into it", 5, "a bottleneck")
	own, err := figures.ParseRules("1, 2,4", "8,16")
	if err != nil {
		t.Fatal(err)
	}
	check(own, 1.5, "good", 7, "short")
	check(own, 5, "look into it", 16, "a bottleneck")
}

func TestInvalidBands(t *testing.T) {
	for _, bands := range [][2]string{{"5,10", ""}, {"5,15,10", ""}, {"", "2"}, {"", "a,b"}, {"NaN,1,2", ""},
		{"0,1,2", ""}} {
		if rules, err := figures.ParseRules(bands[0], bands[1]); err == nil {
			t.Errorf("%q: %v", bands, rules)
		}
	}
}
