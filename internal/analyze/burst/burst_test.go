package burst_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/realiops/realiops/internal/analyze/burst"
)

// gp2 returns an EBS volume: 3 operations a second per GiB, at least 100, a bucket of 5.4 million, 3,000 while it
// lasts.
func gp2(gib float64) burst.Limit {
	return burst.Limit{Name: "gp2", Base: max(100, 3*gib), Burst: 3000, Capacity: 5.4e6, Balance: 5.4e6}
}

// constant returns the same number of operations in every second.
func constant(operations float64) []burst.Demand { return []burst.Demand{{operations, 0}} }

func play(t *testing.T, demand []burst.Demand, seconds int, limits ...burst.Limit) burst.Outcome {
	t.Helper()
	out, err := burst.Play(demand, seconds, limits)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// dryAfter returns the second in which a constant demand finds the bucket empty.
func dryAfter(t *testing.T, demand burst.Demand, l burst.Limit) float64 {
	t.Helper()
	return float64(play(t, []burst.Demand{demand}, 86400, l).Limits[0].FirstDry)
}

// TestPublishedCredits is the table of the EBS user guide on gp2: seconds at 3,000, and seconds to fill when idle. The
// guide computes the rows of 100 and 334 GiB with the exact baseline.
func TestPublishedCredits(t *testing.T) {
	check := func(gib, lasts, refills float64) {
		t.Helper()
		l := gp2(gib)
		if got := l.Filled(0).Refills(); math.Abs(got-refills) > 1 {
			t.Errorf("%g GiB: refills in %.1f s, want %g", gib, got, refills)
		}
		if dry := dryAfter(t, burst.Demand{3000, 0}, l); math.Abs(dry-lasts) > 1 {
			t.Errorf("%g GiB: dry after %g s, want %g", gib, dry, lasts)
		}
	}
	check(33, 1862, 54000)
	check(100, 2000, 18000)
	check(334, 2703, 5389)
	check(750, 7200, 2400)
}

// TestPgbenchOnThirtyGigabytes is a published run: a gp2 volume of 30 GB under pgbench at 600 fell after about three
// hours.
func TestPgbenchOnThirtyGigabytes(t *testing.T) {
	out := play(t, constant(600), 4*3600, gp2(30))
	if got, want := out.Limits[0].FirstDry, 3*3600; got != want { // 5.4 M / (600 - 100)
		t.Errorf("dry in second %d, want %d", got, want)
	}
	if fate := out.Limits[0]; fate.Dry != 3600 || fate.Served[burst.Operations] != 100 {
		t.Errorf("dry: %+v, want 3,600 s at the baseline of 100", fate)
	}
	if last := out.Curve[len(out.Curve)-1]; last.Served[burst.Operations] != 100 {
		t.Errorf("served at last: %v a second, want the baseline of 100", last.Served)
	}
}

// TestThroughputCredits are those of st1 and sc1: a TiB of credits per TiB, 40 and 12 MiB/s earned, 250 and 80 allowed.
func TestThroughputCredits(t *testing.T) {
	check := func(name string, base, most, lasts, refills float64) {
		t.Helper()
		const mib = 1 << 20
		l := burst.Limit{Name: name, Of: burst.Bytes, Base: base * mib, Burst: most * mib, Capacity: 1 << 40}.Full()
		if dry := dryAfter(t, burst.Demand{0, 1e12}, l); math.Abs(dry-lasts) > 1 {
			t.Errorf("%s: dry after %g s, want %g", name, dry, lasts)
		}
		if got := l.Filled(0).Refills(); math.Abs(got-refills) > 1 {
			t.Errorf("%s refills in %.1f s, want %g", name, got, refills)
		}
	}
	check("st1", 40, 250, 4993, 26214)
	check("sc1", 12, 80, 15420, 87381)
}

// TestLimitsHoldTogether: bytes throttle, and reduce the operations with them.
func TestLimitsHoldTogether(t *testing.T) {
	demand := []burst.Demand{{1000, 256e6}}
	out := play(t, demand, 10, burst.Limit{Name: "operations", Base: 3000}, burst.Limit{Name: "bytes", Of: burst.Bytes,
		Base: 128e6})
	if want := (burst.Demand{5000, 1280e6}); out.Served != want {
		t.Errorf("served %v, want %v", out.Served, want)
	}
	if out.Limits[0].Binding != 0 || out.Limits[1].Binding != 10 || out.Throttled != 10 {
		t.Errorf("in the way: %+v", out.Limits)
	}
}

// TestThrottledIsNotDry: 4,000 a second exceed the limit of 3,000, even though the bucket is full.
func TestThrottledIsNotDry(t *testing.T) {
	out := play(t, constant(4000), 10, gp2(500))
	if f := out.Limits[0]; f.Binding != 10 || f.Dry != 0 || f.FirstDry != -1 || f.Served != (burst.Demand{}) {
		t.Errorf("%+v, want it in the way for 10 s and never dry", f)
	}
	if out.Served[burst.Operations] != 30000 {
		t.Errorf("served %v, want 3,000 a second", out.Served)
	}
}

func TestBalanceAtTheStart(t *testing.T) {
	// 54,000 b / (D - B): half a bucket, 1,500 over the baseline of 1,500
	if got := dryAfter(t, burst.Demand{3000, 0}, gp2(500).Filled(50)); got != 1800 {
		t.Errorf("half a bucket lasts %g s, want 1800", got)
	}
}

// TestClosedFormulas compares the simulation of a constant demand with balance / (demand - base) and capacity / base.
func TestClosedFormulas(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		l := burst.Limit{Base: 10 + random.Float64()*1000, Capacity: 1e5 + random.Float64()*1e6}.Filled(
			random.Float64() * 100)
		l.Burst = l.Base + 200 + random.Float64()*5000
		demand := burst.Demand{l.Base + 100 + random.Float64()*8000, 0}
		want := l.Balance / (min(demand[0], l.Burst) - l.Base)
		if got := dryAfter(t, demand, l); math.Abs(got-want) > 1 {
			t.Fatalf("%+v under %g: dry in second %g, want within one of %g", l, demand[0], got, want)
		}
		if got, want := l.Refills(), (l.Capacity-l.Balance)/l.Base; got != want {
			t.Fatalf("%+v fills in %g s, want %g", l, got, want)
		}
	}
}

func TestSmallest(t *testing.T) {
	sizes := []float64{}
	for gib := 1.0; gib <= 1000; gib++ {
		sizes = append(sizes, gib)
	}
	limits := func(gib float64) []burst.Limit { return []burst.Limit{gp2(gib)} }
	// For a day at 900 on average the bucket adds only 5.4 M / 86,400 = 62.5 a second: 837.5 / 3 is 279.2 GiB.
	size, found, err := burst.Smallest(constant(900), 86400, sizes, limits)
	if err != nil || !found || size != 280 {
		t.Errorf("smallest %g, %v, %v; want 280", size, found, err)
	}
	if _, found, _ := burst.Smallest(constant(3001), 60, sizes, limits); found {
		t.Error("no gp2 volume below 1,001 GiB serves 3,001")
	}
}

// TestLaws for any demand and any limits: nothing is served beyond a cap or a demand, credits stay within their bucket,
// a larger volume never serves less, and what is spent was earned.
func TestLaws(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		demand := make([]burst.Demand, 1+random.IntN(50))
		for i := range demand {
			operations := random.ExpFloat64() * 2000
			demand[i] = burst.Demand{operations, operations * 16384 * random.Float64()}
		}
		limits := []burst.Limit{
			{Name: "a", Base: random.Float64() * 3000, Burst: random.Float64() * 9000, Capacity: random.Float64() * 1e5},
			{Name: "b", Of: burst.Bytes, Base: 1 + random.Float64()*3e7},
		}
		limits[0] = limits[0].Filled(random.Float64() * 100)
		seconds := 1 + random.IntN(1000)
		out := play(t, demand, seconds, limits...)
		laws(t, out, limits)
		larger := append([]burst.Limit(nil), limits...)
		larger[0].Base *= 1.1
		larger[0].Burst = max(larger[0].Burst, larger[0].Base)
		if more := play(t, demand, seconds, larger...); more.Served[0] < out.Served[0]*(1-1e-9) {
			t.Fatalf("larger serves %g, smaller %g", more.Served[0], out.Served[0])
		}
	}
}

// TestCarriesAgreesWithPlay: the shortcut must agree with simulating every second.
func TestCarriesAgreesWithPlay(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	outcomes := map[bool]int{}
	for range 500 {
		demand := make([]burst.Demand, 1+random.IntN(20))
		for i := range demand {
			demand[i] = burst.Demand{random.ExpFloat64() * 1000, random.ExpFloat64() * 1e6}
		}
		limits := []burst.Limit{
			burst.Limit{Base: random.Float64() * 3000, Burst: 9000, Capacity: random.Float64() * 1e5}.Filled(
				random.Float64() * 100),
			burst.Limit{Of: burst.Bytes, Base: 1e6 + random.Float64()*5e6, Burst: 1e7, Capacity: 1e8}.Full(),
		}
		carries, err := burst.Carries(demand, 2000, limits)
		if err != nil {
			t.Fatal(err)
		}
		if out := play(t, demand, 2000, limits...); carries != (out.Throttled == 0) {
			t.Fatalf("carries %v, throttled %d", carries, out.Throttled)
		}
		outcomes[carries]++
	}
	if outcomes[true] < 20 || outcomes[false] < 20 {
		t.Errorf("one-sided: %v", outcomes)
	}
}

func laws(t *testing.T, out burst.Outcome, limits []burst.Limit) {
	t.Helper()
	operations := limits[0]
	for _, p := range out.Curve {
		cap := max(operations.Base, operations.Burst)
		if p.Served[0] > min(cap, p.Demanded[0])*(1+1e-9) || p.Served[1] > limits[1].Base*(1+1e-9) {
			t.Fatalf("%+v beyond a cap of %g or %g", p, cap, limits[1].Base)
		}
		if p.Credits[0] < 0 || p.Credits[0] > operations.Capacity {
			t.Fatalf("%g credits in a bucket of %g", p.Credits[0], operations.Capacity)
		}
	}
	if most := operations.Balance + operations.Base*float64(out.Seconds); out.Served[0] > most*(1+1e-9) {
		t.Fatalf("served %g, had and earned %g", out.Served[0], most)
	}
}

func TestBadInput(t *testing.T) {
	check := func(want string, demand []burst.Demand, seconds int, limits ...burst.Limit) {
		t.Helper()
		if _, err := burst.Play(demand, seconds, limits); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	check("no demand to simulate", nil, 10)
	check("no demand to simulate", constant(1), 0)
	check("second 0 demands NaN; want 0 or more", constant(math.NaN()), 1)
	check("second 0 demands -1; want 0 or more", constant(-1), 1)
	check("x: limits must be at least 0", constant(1), 1, burst.Limit{Name: "x", Base: -1})
	check("x: the balance 2 exceeds the bucket's 1", constant(1), 1,
		burst.Limit{Name: "x", Base: 1, Capacity: 1, Balance: 2})
	if out := play(t, constant(0), 10, gp2(1)); out.Throttled != 0 {
		t.Errorf("no demand: %+v", out)
	}
}

func BenchmarkThirtyDays(b *testing.B) {
	demand := make([]burst.Demand, 3600)
	for i := range demand {
		demand[i] = burst.Demand{float64(i % 4000), float64(i%4000) * 16384}
	}
	limits := []burst.Limit{gp2(500), {Name: "bytes", Of: burst.Bytes, Base: 250e6},
		burst.Limit{Name: "instance", Base: 8333, Burst: 16000, Capacity: 1.38e7}.Full()}
	for b.Loop() {
		if _, err := burst.Play(demand, 30*86400, limits); err != nil {
			b.Fatal(err)
		}
	}
}
