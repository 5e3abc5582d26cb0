package sizing_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/burst"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
)

// TestCreditsMakeItSmaller: 600 operations a second, sustained, need 200 GiB of gp2. For a day, a full bucket adds 5.4
// million / 86,400 = 62.5 a second, so 537.5 / 3 = 179.2 GiB suffice; with half of it 568.75 / 3 = 189.6.
func TestCreditsMakeItSmaller(t *testing.T) {
	rate := needs.Rate{Writes: 600, WriteBytes: 600 * 8192}
	check := func(balance, want float64) {
		t.Helper()
		q := sizing.Question{Need: rate, Demand: []needs.Rate{rate}, GiB: 10, Repeat: 86400, Balance: sizing.Balance{
			Volume: sizing.Filling{Percent: balance}}}
		options, err := sizing.Options(q, []catalog.Volume{volume(t, "gp2")}, nil, tariff(t, "us-east-1"))
		if err != nil {
			t.Fatal(err)
		}
		o := options[0]
		if o.Order.GiB != 200 || o.Burst == nil || o.Burst.Order.GiB != want || o.Burst.Outcome.Throttled != 0 {
			t.Errorf("balance %g: order %g GiB, burst %+v, want %g", balance, o.Order.GiB, o.Burst, want)
		}
	}
	check(100, 180)
	check(50, 190)
}

// TestLargerServesMore for every kind of storage with credits, any demand and any balance: a larger size never serves
// less, nothing is served beyond the demand, and no bucket is overdrawn or overfull.
func TestLargerServesMore(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, name := range []string{"gp2", "st1", "sc1", "rds-gp2", "azure-premium"} {
		v := volume(t, name)
		for range 5 {
			demand := make([]burst.Demand, 1+random.IntN(300))
			for i := range demand {
				operations := random.ExpFloat64() * 2000
				demand[i] = burst.Demand{operations, operations * 4096 * (1 + 30*random.Float64())}
			}
			balance, least := 100*random.Float64(), 0.0
			for gib := v.GiB[0]; gib <= v.GiB[1]; gib = max(gib+1, math.Floor(gib*1.7)) {
				k, err := sizing.Config{Volume: v, GiB: gib}.Capacity()
				if err != nil {
					continue // Azure has no disk below 4 GiB
				}
				limits := k.Limits()
				for i := range limits {
					limits[i] = limits[i].Filled(balance)
				}
				out, err := burst.Play(demand, 3000, limits)
				if err != nil {
					t.Fatal(err)
				}
				if served := out.Served[burst.Operations]; served < least*(1-1e-9) ||
					served > out.Demanded[burst.Operations]*(1+1e-9) {
					t.Fatalf("%s of %g GiB serves %g, a smaller one %g, of %g", name, gib, served, least,
						out.Demanded[burst.Operations])
				}
				least = out.Served[burst.Operations]
				for _, f := range out.Limits {
					if f.Lowest < 0 || f.Left > f.Capacity {
						t.Fatalf("%s of %g GiB: %+v", name, gib, f)
					}
				}
			}
		}
	}
}

// TestWhereCreditsEnd: gp2 with 30 GiB of data under 600 a second is empty after three hours, and serves 100 from then
// on, as in a published pgbench run. Behind a machine without credits it never gets there.
func TestWhereCreditsEnd(t *testing.T) {
	rate := needs.Rate{Writes: 600, WriteBytes: 600 * 8192}
	instances := catalog.Instances()
	dry := func(limit, class string, balance sizing.Balance) burst.Fate {
		t.Helper()
		q := sizing.Question{Need: rate, Demand: []needs.Rate{rate}, GiB: 30, Repeat: 5 * 3600, Balance: balance,
			Instance: class}
		options, err := sizing.Options(q, []catalog.Volume{volume(t, "gp2")}, instances, tariff(t, "us-east-1"))
		if err != nil || options[0].Bare == nil {
			t.Fatal(options, err)
		}
		for _, f := range options[0].Bare.Outcome.Limits {
			if f.Name == limit {
				return f
			}
		}
		t.Fatal("no limit", limit)
		return burst.Fate{}
	}
	full := dry("operations", "", sizing.Full())
	if full.FirstDry != 3*3600 || full.Served[burst.Operations] != 100 {
		t.Errorf("%+v, want it dry after 10,800 s, and 100 served from then on", full)
	}
	spent := sizing.Full()
	spent.Operations.Percent = 0 // of a t3.micro, which sustains 500 a second
	if f := dry("operations of the instance", "t3.micro", spent); f.FirstDry != 0 || f.Served[burst.Operations] != 500 {
		t.Errorf("%+v, want the instance dry at once, and 500 served", f)
	}
	if f := dry("operations", "t3.micro", spent); f.FirstDry/60 != 13500/60-1 { // 5.4 M / (500 - 100)
		t.Errorf("%+v, want the volume dry after 13,500 s", f)
	}
}

// TestBalancesOfARun: the simulation starts with the last credits in the run, unless the user gives a balance.
func TestBalancesOfARun(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	period := func(minute int, metric string, percent float64) runfile.Period {
		return runfile.Period{
			From: at.Add(time.Duration(minute) * time.Minute), To: at.Add(time.Duration(minute+1) * time.Minute),
			Probe: "cloudwatch", Metric: metric, Statistic: "Minimum", Value: percent,
		}
	}
	average := period(1, "cloudwatch/BurstBalance", 70)
	average.Statistic = "Average"
	run := shippedWith(t, average, period(1, "cloudwatch/BurstBalance", 55), period(0, "cloudwatch/BurstBalance", 90),
		period(0, "cloudwatch/EBSByteBalance%", 20))
	size := func(asked sizing.Asked) sizing.Balance {
		t.Helper()
		s, err := sizing.Size(sizing.Ask{Balance: asked, Tariff: tariff(t, "us-east-1"), Volumes: []catalog.Volume{
			volume(t, "gp2")}}, run)
		if err != nil {
			t.Fatal(err)
		}
		return s.Balance
	}
	want := sizing.Balance{
		Volume:     sizing.Filling{Percent: 55, Metric: "cloudwatch/BurstBalance", At: at.Add(2 * time.Minute)},
		Operations: sizing.Filling{Percent: 100},
		Bytes:      sizing.Filling{Percent: 20, Metric: "cloudwatch/EBSByteBalance%", At: at.Add(time.Minute)},
	}
	if diff := cmp.Diff(want, size(sizing.Asked{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want.Volume = sizing.Filling{Percent: 7}
	if diff := cmp.Diff(want, size(sizing.Asked{Volume: new(7.0)})); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}

// shippedWith returns a shipped run plus periods of a source.
func shippedWith(t *testing.T, periods ...runfile.Period) *counts.Run {
	t.Helper()
	shipped, file, err := runfile.OpenRows("../../../testdata/runs/loads-pg17.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var records []runfile.Record
	for r, err := range shipped {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	for _, p := range periods {
		records = append(records, p)
	}
	return runOf(t, records...)
}

func runOf(t *testing.T, records ...runfile.Record) *counts.Run {
	t.Helper()
	run, err := tally.FromRun(func(yield func(runfile.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestDataDecideOverCredits: 50 operations a second on 10 GiB need no credits.
func TestDataDecideOverCredits(t *testing.T) {
	rate := needs.Rate{Writes: 50, WriteBytes: 50 * 8192}
	q := sizing.Question{Need: rate, Demand: []needs.Rate{rate}, GiB: 10, Repeat: 86400, Balance: sizing.Full()}
	options, err := sizing.Options(q, []catalog.Volume{volume(t, "gp2")}, nil, tariff(t, "us-east-1"))
	if err != nil {
		t.Fatal(err)
	}
	if o := options[0]; o.Order.GiB != 10 || o.Burst != nil {
		t.Errorf("order %g GiB, burst %+v", o.Order.GiB, o.Burst)
	}
}

// TestMachineInBetween: the effective limit is the lower of volume and machine, for operations and bytes.
func TestMachineInBetween(t *testing.T) {
	instances := catalog.Instances()
	check := func(class string, writes, bytes float64, carries bool, binds string) {
		t.Helper()
		q := sizing.Question{Need: needs.Rate{Writes: writes, WriteBytes: bytes}, GiB: 1000, Instance: class}
		options, err := sizing.Options(q, []catalog.Volume{volume(t, "gp3")}, instances, tariff(t, "us-east-1"))
		if err != nil {
			t.Fatal(err)
		}
		if c := options[0].Cap; c == nil || c.Carries != carries || c.Binds != binds {
			t.Errorf("%s: %+v", class, c)
		}
	}
	check("db.t3.medium", 1500, 20e6, true, "instance")  // 2,000 sustained, under the volume's 3,000
	check("db.t3.medium", 2500, 20e6, false, "instance") // its 11,800 last 30 minutes a day
	check("m5.4xlarge", 2500, 20e6, true, "volume")
	check("m4.large", 100, 60e6, false, "instance") // 56.25 MB/s
}
