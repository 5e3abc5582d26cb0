package baseline

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/tally"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// served returns the seconds of a job with depth operations in flight on storage with the given rates, with noise.
func served(depth, size, noise float64, rates ...float64) []Point {
	r := rand.New(rand.NewPCG(7, 8))
	var all []Point
	for i, rate := range rates {
		rate *= 1 + noise*r.NormFloat64()
		all = append(all, Point{
			At: noon.Add(time.Duration(i+1) * time.Second), Seconds: float64(i + 1), Operations: rate,
			Bytes: rate * size, Latency: depth / rate,
		})
	}
	return all
}

func held(n int, rate float64) []float64 {
	rates := make([]float64, n)
	for i := range rates {
		rates[i] = rate
	}
	return rates
}

func TestThrottleIsFound(t *testing.T) {
	points := served(16, 8192, 0.05, append(held(90, 3000), held(60, 300)...)...)
	got := Throttled(points)
	if !got.Found || !got.Settled() || got.Seconds != 90 || !got.At.Equal(noon.Add(90*time.Second)) {
		t.Fatalf("%+v", got)
	}
	check := func(name string, got, want float64) {
		if math.Abs(got-want) > 0.05*want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	check("rate before", got.Before.Operations, 3000)
	check("rate after", got.After.Operations, 300)
	check("latency before", got.Before.Latency, 16.0/3000)
	check("latency after", got.After.Latency, 16.0/300)
	check("queue after", got.After.Queue, 16)
	check("bytes after", got.After.Bytes, 300*8192)
}

func TestNoThrottle(t *testing.T) {
	check := func(why string, points []Point) {
		t.Helper()
		got := Throttled(points)
		if got.Found || !strings.Contains(got.Why, why) {
			t.Errorf("want %q: %+v", why, got)
		}
	}
	check("too few", served(16, 8192, 0.05, append(held(9, 3000), held(9, 300)...)...))
	check("chance", served(16, 8192, 0.1, held(200, 3000)...))
	check("did not change", served(16, 8192, 0, held(200, 3000)...))
	check("the rate rose", served(16, 8192, 0.05, append(held(60, 300), held(60, 3000)...)...))
	check("chance", served(16, 8192, 0, append(held(100, 3000), held(4, 300)...)...))
	check("by a factor of 1.1", served(16, 8192, 0.01, append(held(60, 3000), held(60, 2700)...)...))
	var drift []float64
	for i := range 200 {
		drift = append(drift, 3000-12*float64(i))
	}
	check("gradually", served(16, 8192, 0.01, drift...))
	slack := served(16, 8192, 0.01, append(held(60, 3000), held(60, 300)...)...)
	for i := range slack {
		slack[i].Latency = 0.005 // as if the load limits its own rate
	}
	check("the job asked for less", slack)
	check("too few", nil)
}

func TestChangeMustLast(t *testing.T) {
	for after, want := range map[int]bool{20: false, 29: false, 30: true, 40: true} {
		got := Throttled(served(16, 8192, 0.01, append(held(100, 3000), held(after, 300)...)...))
		if !got.Found || got.Settled() != want {
			t.Errorf("after %d s: %+v", after, got)
		}
	}
	if got := Throttled(served(16, 8192, 0.01, append(held(400, 3000), held(60, 300)...)...)); !got.Found ||
		got.Settled() || got.Seconds < 398 || got.Seconds > 401 {
		t.Errorf("60 s after 400: %+v", got)
	}
}

// TestBucketsThatFit: the rates are from published tables; the times are those of a full bucket, and of a tenth.
func TestBucketsThatFit(t *testing.T) {
	volumes := catalog.Volumes()
	instances := catalog.Instances()
	of := func(before, after, size, seconds float64) map[string]float64 {
		t := Throttle{Found: true, Seconds: seconds, Before: &Level{Operations: before, Bytes: before * size},
			After: &Level{Operations: after, Bytes: after * size}}
		found := map[string]float64{}
		for _, b := range BucketsOf(t, volumes, instances) {
			found[b.Title+" "+b.Of] = math.Round(b.GiB)
		}
		return found
	}
	check := func(name string, got, want map[string]float64) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	// gp2 of 100 GiB: 5.4 M credits / (3,000 - 300) = 2,000 s.
	gp2 := map[string]float64{"EBS gp2 IOPS": 100, "RDS gp2 IOPS": 100}
	check("gp2", of(3000, 300, 8192, 2000), gp2)
	check("gp2, a tenth full", of(3000, 300, 8192, 200), gp2)
	check("gp2 that lasts too long", of(3000, 300, 8192, 2500), map[string]float64{})
	// The published run: 3,000 to 100 within half an hour, 33 GiB at most.
	check("the smallest gp2", of(3000, 100, 8192, 1862), map[string]float64{"EBS gp2 IOPS": 33, "RDS gp2 IOPS": 33})
	// st1 of 500 GB, 125 and 20 MiB/s of 256 KiB; a bucket of 1 TiB per TiB, so 512 GiB last 512*1024/105 = 4,993 s. An
	// sc1 of 1,707 GiB has the same base, and a burst of 133 MiB/s, which no measurement tells from 125.
	check("st1", of(500, 80, 256<<10, 4900), map[string]float64{"EBS st1 MiB/s": 512, "EBS sc1 MiB/s": 1707})
	// An m5.large: 18,750 and 3,600 for half an hour; others of its size have the same.
	if got := of(18750, 3600, 4096, 1800); got["instance m5.large IOPS"] != 0 || len(got) == 0 {
		t.Errorf("m5.large: %v", got)
	} else if _, fits := got["instance m5.large IOPS"]; !fits {
		t.Errorf("m5.large: %v", got)
	}
	check("nothing published", of(5000, 3500, 8192, 60), map[string]float64{})
}

// TestShippedThrottle: the run that comes with the source was throttled by the kernel: 3,000 writes of 8 KB a second
// until 15:41:27.7, and 300 from then on, like an EBS gp2 of 100 GiB.
func TestShippedThrottle(t *testing.T) {
	run, err := tally.FromFile("../../../testdata/runs/baseline-throttled.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	b, err := FromRun(run)
	if err != nil {
		t.Fatal(err)
	}
	lowered := time.Date(2026, 11, 20, 15, 41, 27, 7e8, time.UTC)
	if b.Throttle == nil || !b.Throttle.Found || b.Throttle.At.After(lowered) ||
		lowered.Sub(*b.Throttle.At) > 2*time.Second {
		t.Fatalf("%+v", b.Throttle)
	}
	for _, level := range []struct {
		of   *Level
		want float64
	}{{b.Throttle.Before, 3000}, {b.Throttle.After, 300}} {
		if math.Abs(level.of.Operations-level.want) > 0.01*level.want || math.Abs(level.of.Queue-16) > 0.5 {
			t.Errorf("%+v, want %v a second and 16 in flight", level.of, level.want)
		}
	}
	if len(b.Throttle.Buckets) == 0 || b.Throttle.Buckets[0].Title != "EBS gp2" || b.Throttle.Buckets[0].GiB != 100 {
		t.Errorf("%+v", b.Throttle.Buckets)
	}
}
