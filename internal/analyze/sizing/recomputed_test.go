package sizing_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

// asOrdered is an order as on a provider's page; gib 0 means none.
type asOrdered struct{ gib, iops, mibps, monthly float64 }

// recomputed returns the orders of all volumes for gib of data, by their providers' pages and without this program's
// code. ops counts operations of up to 256 KiB, disk of up to 1 MiB, small of up to 16 KiB. Prices are those of
// us-east-1; 0 is not compared. Azure's mibps are MB of 10^6, as sold.
func recomputed(gib, ops, disk, small, mib float64) map[string]asOrdered {
	mb := mib * 1.048576
	up := math.Ceil
	none := asOrdered{}
	limit := func(o asOrdered, ok bool) asOrdered {
		if !ok {
			return none
		}
		return o
	}
	all := map[string]asOrdered{}

	// EBS gp3: 3,000 IOPS and 125 MiB/s; up to 500 IOPS per GiB and 80,000; 0.25 MiB/s per IOPS, up to 2,000
	sold := func(bytes, free, bytesFree, perGiB, least, mostIOPS, mostBytes float64) asOrdered {
		var o asOrdered
		if bytes > bytesFree {
			o.mibps = up(bytes)
		}
		if iops := max(ops, 4*o.mibps); iops > free {
			o.iops = up(iops)
		}
		o.gib = up(max(gib, least, o.iops/perGiB))
		return limit(o, o.iops <= mostIOPS && o.mibps <= mostBytes && o.gib <= 65536)
	}
	o := sold(mib, 3000, 125, 500, 1, 80000, 2000)
	o.monthly = 0.08*o.gib + 0.005*max(0, o.iops-3000) + 0.04*max(0, o.mibps-125)
	all["gp3"] = o

	// EBS gp2: 3 IOPS per GiB, from 100 to 16,000; 128 MiB/s up to 170 GiB, 250 above
	size := max(gib, 1)
	if ops > 100 {
		size = max(size, ops/3)
	}
	if mib > 128 {
		size = max(size, 171)
	}
	all["gp2"] = limit(asOrdered{gib: up(size), monthly: 0.10 * up(size)}, ops <= 16000 && mib <= 250 && size <= 16384)

	// EBS io1 and io2: IOPS per GiB, and bytes per IOPS
	iops := max(100, up(ops), up(mib*4))
	if mib > 500 {
		iops = max(100, up(ops), up(32000+64*(mib-500)))
	}
	o = asOrdered{gib: up(max(gib, 4, iops/50)), iops: iops}
	o.monthly = 0.125*o.gib + 0.065*iops
	all["io1"] = limit(o, iops <= 64000 && o.gib <= 16384)
	iops = max(100, up(ops), up(mib/0.256))
	o = asOrdered{gib: up(max(gib, 4, iops/1000)), iops: iops}
	o.monthly = 0.125*o.gib + 0.065*min(iops, 32000) + 0.0455*max(0, min(iops, 64000)-32000) +
		0.03185*max(0, iops-64000)
	all["io2"] = limit(o, iops <= 256000 && mib <= 4000 && o.gib <= 65536)

	// hard disks: a credit of 1 MiB per operation, 40 and 12 of them a second per TiB
	for name, d := range map[string][3]float64{"st1": {40, 500, 0.045}, "sc1": {12, 250, 0.015}} {
		least := up(max(gib, 125, disk*1024/d[0]))
		if name == "sc1" && disk > 192 { // 16 TiB earn no more
			least = math.Inf(1)
		}
		all[name] = limit(asOrdered{gib: least, monthly: d[2] * least}, disk <= d[1] && least <= 16384)
	}

	// RDS: one volume below 400 GiB, four from there on
	if gib < 400 && ops <= 3000 && mib <= 125 {
		all["rds-gp3"] = asOrdered{gib: up(max(gib, 20)), monthly: 0.115 * up(max(gib, 20))}
	} else {
		all["rds-gp3"] = sold(mib, 12000, 500, 500, 400, 64000, 4000)
	}
	size = max(gib, 5)
	if ops > 100 {
		size = max(size, ops/3)
	}
	for _, step := range [][2]float64{{128, 171}, {250, 400}, {512, 1336}} {
		if mib > step[0] {
			size = max(size, step[1])
		}
	}
	all["rds-gp2"] = limit(asOrdered{gib: up(size), monthly: 0.115 * up(size)}, ops <= 64000 && mib <= 1000 &&
		size <= 65536)
	all["rds-io1"] = rdsIO1(gib, ops, mib)
	iops = max(1000, up(ops), up(mib/0.256))
	size = up(max(gib, 100, iops/1000))
	all["rds-io2"] = limit(asOrdered{gib: size, iops: max(iops, up(size/2))}, iops <= 256000 && mib <= 4000 &&
		size <= 65536)

	// Azure: named sizes, or everything separate
	for name, column := range map[string]int{"azure-premium": 1, "azure-premium-plus": 3} {
		for _, row := range premium() {
			if row[0] >= gib && row[column] >= ops && row[column+1] >= mb {
				all[name] = asOrdered{gib: row[0]}
				break
			}
		}
	}
	all["azure-premium-v2"] = sold(mb, 3000, 125, 500, 1, 80000, 2000)
	if o := all["azure-premium-v2"]; o.gib > 0 && o.gib < 6 && (o.iops > 0 || o.mibps > 0) {
		o.gib = 6
		all["azure-premium-v2"] = o
	}
	o = asOrdered{mibps: up(mb)}
	o.iops = max(100, up(ops), 4*o.mibps)
	o.gib = up(max(gib, 4, o.iops/1000))
	all["azure-ultra"] = limit(o, o.iops <= 400000 && mb <= 10000 && o.gib <= 65536)

	size = up(max(gib, 10, small/30, mib/0.48))
	all["google-pd-ssd"] = limit(asOrdered{gib: size}, small <= 100000 && mib <= 1200 && size <= 65536)
	return all
}

// rdsIO1 returns the cheaper of one volume and four: 0.125 per GiB and 0.10 per IOPS, with half an IOPS to fifty per
// GiB.
func rdsIO1(gib, ops, mib float64) (best asOrdered) {
	up := math.Ceil
	for _, v := range []struct {
		volumes, first, last, mostIOPS float64
	}{{1, 100, 399, 19950}, {4, 400, 65536, 256000}} {
		// each of them: 256 KiB per operation up to 500 MiB/s, and up to 1,000 with more than 32,000
		of := mib / v.volumes
		iops := max(1000, up(ops), up(v.volumes*of*4))
		if of > 500 {
			iops = max(1000, up(ops), up(v.volumes*(32000+64*(of-500))))
		}
		size := up(max(gib, v.first, iops/50))
		iops = max(iops, up(size/2))
		price := 0.125*size + 0.10*iops
		if size <= v.last && iops <= v.mostIOPS && (best.gib == 0 || price < best.monthly) {
			best = asOrdered{gib: size, iops: iops, monthly: price}
		}
	}
	return best
}

// premium returns Azure's Premium SSD: GiB, IOPS and MB/s, and both with performance plus; -1 is none.
func premium() [][5]float64 {
	return [][5]float64{
		{4, 120, 25, -1, -1}, {8, 120, 25, -1, -1}, {16, 120, 25, -1, -1}, {32, 120, 25, -1, -1}, {64, 240, 50, -1, -1},
		{128, 500, 100, -1, -1},
		{256, 1100, 125, -1, -1}, {512, 2300, 150, -1, -1}, {1024, 5000, 200, 8000, 300}, {2048, 7500, 250, 16000, 600},
		{4096, 7500, 250, 20000, 900},
		{8192, 16000, 500, 20000, 900}, {16384, 18000, 750, 20000, 900}, {32767, 20000, 900, 20000, 900},
	}
}

// TestDrawnNeeds: 200 random needs, from one request a second to more than anything carries, each on every volume.
func TestDrawnNeeds(t *testing.T) {
	volumes := catalog.Volumes()
	random := rand.New(rand.NewPCG(21, 22))
	carried := map[string]int{}
	for range 200 {
		q := sizing.Question{Need: drawnRate(random), GiB: math.Exp(random.Float64() * math.Log(20000)),
			Headroom: float64(5 * random.IntN(9)), HardDisks: true}
		options, err := sizing.Options(q, volumes, nil, tariff(t, "us-east-1"))
		if err != nil {
			t.Fatal(err)
		}
		headroom := 1 + q.Headroom/100
		counted := func(kib float64) float64 {
			sum := 0.0
			for _, way := range [][2]float64{{q.Need.Reads, q.Need.ReadBytes}, {q.Need.Writes, q.Need.WriteBytes}} {
				if way[0] > 0 {
					sum += way[0] * max(1, math.Ceil(way[1]/way[0]/(kib*1024)))
				}
			}
			return sum * headroom
		}
		want := recomputed(q.GiB, counted(256), counted(1024), counted(16),
			(q.Need.ReadBytes+q.Need.WriteBytes)/(1<<20)*headroom)
		for _, o := range options {
			if w, is := want[o.Volume.Name]; is {
				same(t, q, o, w)
				if w.gib > 0 {
					carried[o.Volume.Name]++
				}
			}
		}
	}
	for name := range recomputed(1, 1, 1, 1, 1) {
		if carried[name] < 10 {
			t.Errorf("%s carried %d of them only", name, carried[name])
		}
	}
}

func drawnRate(random *rand.Rand) needs.Rate {
	requests, kib, reads := math.Exp(random.Float64()*math.Log(60000)),
		math.Exp(math.Log(4)+random.Float64()*math.Log(300)), []float64{0, 0.4, 1}[random.IntN(3)]
	bytes := requests * kib * 1024
	return needs.Rate{Reads: requests * reads, Writes: requests * (1 - reads), ReadBytes: bytes * reads,
		WriteBytes: bytes * (1 - reads)}
}

// same compares an option with the computed order, and its price if known.
func same(t *testing.T, q sizing.Question, o sizing.Option, want asOrdered) {
	t.Helper()
	var got asOrdered
	if o.Smaller != nil { // the least that is sold, without a known price
		o.Order, o.Bill = o.Smaller, nil
	}
	if o.Order != nil {
		got = asOrdered{gib: o.Order.GiB, iops: o.Order.IOPS, mibps: math.Round(o.Order.MiBps/o.Volume.Step()*1e6) / 1e6}
	}
	if got.gib != want.gib || math.Abs(got.iops-want.iops) > 1 || got.mibps != want.mibps {
		t.Errorf("%s for %+v on %g GiB with %g%%: %+v, want %+v", o.Volume.Name, q.Need, q.GiB, q.Headroom, got, want)
	}
	if o.Bill != nil && want.monthly > 0 && math.Abs(o.Bill.Total-want.monthly) > 0.11 {
		t.Errorf("%s for %+v on %g GiB: %g a month, want %g", o.Volume.Name, q.Need, q.GiB, o.Bill.Total, want.monthly)
	}
}
