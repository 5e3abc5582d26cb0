package main

import (
	"math"
	"slices"
	"strings"
)

// headroom is the default factor of realiops size between an order and the need.
const headroom = 1.2

// shop is a set of offers, in the terms of the flags, with the known limits of the machine.
type shop struct {
	name      string
	providers []string
	region    string
	// the sustained limits of the class of machine, by EC2's and Azure's guides; 0: no class, or unknown
	iops, mb float64
}

func shops() []shop {
	return []shop{
		{name: "", providers: []string{"ebs", "rds"}},
		{name: "--on ebs", providers: []string{"ebs"}},
		{name: "--on rds", providers: []string{"rds"}},
		{name: "--on azure", providers: []string{"azure"}},
		{name: "--on google", providers: []string{"google"}},
		{name: "--region europe-west3", providers: []string{"google"}, region: "europe-west3"},
		{name: "--on ebs,azure", providers: []string{"ebs", "azure"}},
		{name: "--on rds --region eu-west-1", providers: []string{"rds"}, region: "eu-west-1"},
		{name: "--region eu-west-1", providers: []string{"ebs", "rds"}, region: "eu-west-1"},
		{name: "--region eu-central-1", providers: []string{"ebs", "rds"}, region: "eu-central-1"},
		{name: "--region il-central-1", providers: []string{"ebs", "rds"}, region: "il-central-1"},
		{name: "--region westeurope", providers: []string{"azure"}, region: "westeurope"},
		{name: "--class m5.large", providers: []string{"ebs"}, iops: 3600, mb: 81.25},
		{name: "--class m5.24xlarge", providers: []string{"ebs"}, iops: 80000, mb: 2375},
		{name: "--class db.r6g.2xlarge", providers: []string{"rds"}, iops: 12000, mb: 296.875},
		{name: "--class Standard_DS14_v2", providers: []string{"azure"}, iops: 51200, mb: 768},
		{name: "--class n2-standard-8", providers: []string{"google"}},
	}
}

// kind is one kind of volume. fits returns the monthly cost of one volume of a size that carries operations and
// bytes a second; false: it cannot.
type kind struct {
	name     string
	provider string
	unit     float64 // KiB of one operation
	most     float64 // GiB
	stripe   bool
	steps    []float64 // sizes at which a larger one may cost less
	priced   bool
	fits     func(gib, ops, bytes float64) (float64, bool)
}

// cheapest tries every size of one volume, and of up to eight.
func (k kind) cheapest(s shop, n need) (one, best float64, carries bool) {
	each := math.Ceil(n.kib / k.unit)
	ops, bytes := n.iops*each*headroom, n.iops*n.kib*1024*headroom
	if s.iops > 0 && (ops > s.iops+1e-6 || bytes > s.mb*1e6+1e-6) {
		return 0, 0, false
	}
	disks := 1.0
	if k.stripe {
		disks = 8
	}
	one, best = math.Inf(1), math.Inf(1)
	for d := 1.0; d <= disks; d++ {
		from := math.Ceil(n.gib/d - 1e-9)
		for _, upTo := range append(slices.Clone(k.steps), k.most) {
			for gib := from; gib <= upTo; gib++ {
				if price, ok := k.fits(gib, whole(ops/d), whole(bytes/d)); ok {
					best, carries = min(best, price*d), true
					break // a larger one of the same step costs no less
				}
			}
			from = max(from, upTo+1)
		}
		if d == 1 {
			one = best
		}
	}
	return one, best, carries
}

// whole removes rounding errors of binary fractions.
func whole(v float64) float64 {
	if r := math.Round(v); math.Abs(v-r) < 1e-6 {
		return r
	}
	return v
}

const mib = 1 << 20

// bought returns the charged part of an amount that must be whole.
func bought(amount, free float64) float64 { return max(0, math.Ceil(amount)-free) }

// separately returns a volume with separate prices for size, operations and bytes: EBS gp3, RDS gp3 from 400 GiB,
// Premium SSD v2, Hyperdisk. One IOPS brings a quarter of a unit of bytes.
func separately(free, freeBytes, perGiB, mostIOPS, mostBytes, unit float64, price [3]float64) func(gib, ops,
	bytes float64) (float64, bool) {
	return func(gib, ops, bytes float64) (float64, bool) {
		b := math.Ceil(whole(bytes / unit))
		if b <= freeBytes {
			b = 0
		}
		iops := max(math.Ceil(ops), 4*b)
		if iops <= free {
			iops = 0
		}
		ok := iops <= mostIOPS && b <= mostBytes && iops <= perGiB*gib
		return gib*price[0] + bought(iops, free)*price[1] + bought(b, freeBytes)*price[2], ok
	}
}

// kinds returns the shop's kinds, with their prices in its region. AWS: EBS and RDS user guides, prices of the EBS
// and RDS pages. Azure: managed disk types. Google: disk types, only with the limits that depend on the size.
func (s shop) kinds() []kind {
	all := slices.Concat(s.ebs(), s.rds(), s.azure(), s.google())
	return slices.DeleteFunc(all, func(k kind) bool {
		// N2 takes none
		return !slices.Contains(s.providers, k.provider) || strings.Contains(s.name, "n2-") &&
			k.name == "google-hyperdisk-balanced"
	})
}

// at returns a price by region, unknown for other regions.
func (s shop) at(prices map[string][3]float64) ([3]float64, bool) {
	region := s.region
	if region == "" || !strings.Contains(region, "-") {
		region = "us-east-1"
	}
	p, known := prices[region]
	return p, known
}

func (s shop) ebs() []kind {
	gp3, p3 := s.at(map[string][3]float64{"us-east-1": {0.08, 0.005, 0.04}, "eu-west-1": {0.088, 0.0055, 0.044},
		"eu-central-1": {0.0952, 0.006, 0.0476}})
	gp2, p2 := s.at(map[string][3]float64{"us-east-1": {0.10}, "eu-west-1": {0.11}, "eu-central-1": {0.119}})
	io1, q1 := s.at(map[string][3]float64{"us-east-1": {0.125, 0.065}, "eu-west-1": {0.138, 0.072},
		"eu-central-1": {0.149, 0.078}})
	io2, q2 := s.at(map[string][3]float64{"us-east-1": {0.125, 0.065}, "eu-west-1": {0.138, 0.072},
		"eu-central-1": {0.149, 0.078}})
	return []kind{
		{name: "gp3", provider: "ebs", unit: 256, most: 65536, stripe: true, priced: p3,
			fits: separately(3000, 125, 500, 80000, 2000, mib, gp3)},
		{name: "gp2", provider: "ebs", unit: 256, most: 16384, stripe: true, priced: p2,
			fits: func(gib, ops, bytes float64) (float64, bool) {
				lets := 128.0
				if gib > 170 {
					lets = 250 // of 171 to 333 while there are credits
				}
				return gib * gp2[0], ops <= min(16000, max(100, 3*gib)) && bytes <= lets*mib
			}},
		{name: "io1", provider: "ebs", unit: 256, most: 16384, stripe: true, priced: q1,
			fits: func(gib, ops, bytes float64) (float64, bool) {
				iops := max(100, math.Ceil(ops), math.Ceil(whole(bytes/mib*4))) // 256 KiB each, up to 500 MiB/s
				if bytes > 500*mib {
					iops = max(100, math.Ceil(ops), math.Ceil(whole(32000+(bytes/mib-500)*64)))
				}
				return gib*io1[0] + iops*io1[1], gib >= 4 && iops <= min(64000, 50*gib)
			}},
		{name: "io2", provider: "ebs", unit: 256, most: 65536, stripe: true, priced: q2,
			fits: func(gib, ops, bytes float64) (float64, bool) {
				iops := max(100, math.Ceil(ops), math.Ceil(whole(bytes/mib/0.256)))
				steps := min(iops, 32000) + 0.7*(min(max(iops, 32000), 64000)-32000) + 0.49*(max(iops, 64000)-64000)
				return gib*io2[0] + steps*io2[1], gib >= 4 && iops <= min(256000, 1000*gib) && bytes <= 4000*mib
			}},
	}
}

func (s shop) rds() []kind {
	gp3, p3 := s.at(map[string][3]float64{"us-east-1": {0.115, 0.02, 0.08}, "eu-west-1": {0.127, 0.022, 0.088}})
	gp2, p2 := s.at(map[string][3]float64{"us-east-1": {0.115}, "eu-west-1": {0.127}})
	io, p := s.at(map[string][3]float64{"us-east-1": {0.125, 0.10}, "eu-west-1": {0.138, 0.11}})
	four := separately(12000, 500, 500, 64000, 4000, mib, gp3)
	return []kind{
		{name: "rds-gp3", provider: "rds", unit: 256, most: 65536, steps: []float64{399}, priced: p3,
			fits: func(gib, ops, bytes float64) (float64, bool) {
				if gib < 400 {
					return gib * gp3[0], gib >= 20 && ops <= 3000 && bytes <= 125*mib
				}
				return four(gib, ops, bytes)
			}},
		{name: "rds-gp2", provider: "rds", unit: 256, most: 65536, priced: p2,
			fits: func(gib, ops, bytes float64) (float64, bool) {
				lets := 128.0
				for _, step := range [][2]float64{{171, 250}, {400, 512}, {1336, 1000}} {
					if gib >= step[0] {
						lets = step[1]
					}
				}
				return gib * gp2[0], gib >= 5 && ops <= min(64000, max(100, 3*gib)) && bytes <= lets*mib
			}},
		{name: "rds-io1", provider: "rds", unit: 256, most: 65536, steps: []float64{399}, priced: p,
			fits: func(gib, ops, bytes float64) (float64, bool) {
				under, most := 1.0, 19950.0
				if gib >= 400 {
					under, most = 4, 256000
				}
				of := bytes / mib / under
				iops := max(1000, math.Ceil(ops), math.Ceil(whole(under*of*4)), math.Ceil(gib/2))
				if of > 500 {
					iops = max(iops, math.Ceil(whole(under*(32000+64*(of-500)))))
				}
				return gib*io[0] + iops*io[1], gib >= 100 && iops <= min(most, 50*gib)
			}},
		{name: "rds-io2", provider: "rds", unit: 256, most: 65536, priced: p,
			fits: func(gib, ops, bytes float64) (float64, bool) {
				iops := max(1000, math.Ceil(ops), math.Ceil(whole(bytes/mib/0.256)), math.Ceil(gib/2))
				return gib*io[0] + iops*io[1], gib >= 100 && iops <= min(256000, 1000*gib) && bytes <= 4000*mib
			}},
	}
}

// size is a size of Premium SSD: GiB, IOPS and MB/s, the two with performance plus, and a
// month in East US; 0: not sold.
type size struct{ gib, iops, mb, plus, plusMB, month float64 }

func premium() []size {
	return []size{
		{4, 120, 25, 0, 0, 0.60}, {8, 120, 25, 0, 0, 1.20}, {16, 120, 25, 0, 0, 2.40}, {32, 120, 25, 0, 0, 5.28},
		{64, 240, 50, 0, 0, 10.207}, {128, 500, 100, 0, 0, 19.71},
		{256, 1100, 125, 0, 0, 38.01}, {512, 2300, 150, 0, 0, 73.22}, {1024, 5000, 200, 8000, 300, 135.17},
		{2048, 7500, 250, 16000, 600, 259.0457},
		{4096, 7500, 250, 20000, 900, 495.5657}, {8192, 16000, 500, 20000, 900, 946.08},
		{16384, 18000, 750, 20000, 900, 1802.06}, {32767, 20000, 900, 20000, 900, 3604.11},
	}
}

func (s shop) azure() []kind {
	known := s.region == "" || s.region == "eastus"
	const mb = 1e6
	of := func(takes func(z size) (iops, mb float64), priced bool) func(gib, ops, bytes float64) (float64, bool) {
		return func(gib, ops, bytes float64) (float64, bool) {
			for _, z := range premium() {
				if iops, most := takes(z); z.gib == gib && (z.month > 0 || !priced) && ops <= iops && bytes <= most*mb {
					return z.month, true
				}
			}
			return 0, false
		}
	}
	all := []kind{
		{name: "azure-premium", fits: of(func(z size) (float64, float64) {
			return z.iops, z.mb
		}, known), priced: known, most: 32767},
		{name: "azure-premium-plus", fits: of(func(z size) (float64, float64) {
			return z.plus, z.plusMB
		}, known), priced: known, most: 32767},
		// on demand, at a price by use
		{name: "azure-premium-burst", most: 32767, fits: of(func(z size) (float64, float64) {
			if z.gib < 1024 {
				return 0, 0
			}
			return 30000, 1000
		}, false)},
		{name: "azure-premium-v2", priced: known, most: 65536, steps: []float64{5},
			fits: func(gib, ops, bytes float64) (float64, bool) {
				price, ok := separately(3000, 125, 500, 80000, 2000, mb, [3]float64{0.00011 * 730, 0.000007 * 730,
					0.000055 * 730})(gib, ops, bytes)
				return price, ok && (gib >= 6 || ops <= 3000 && bytes <= 125*mb)
			}},
		{name: "azure-ultra", priced: known, most: 65536, fits: func(gib, ops, bytes float64) (float64, bool) {
			b := math.Ceil(whole(bytes / mb))
			iops := max(100, math.Ceil(ops), 4*b)
			return gib*0.000164*730 + iops*0.000068*730 + b*0.3495, gib >= 4 &&
				iops <= min(400000, 1000*gib) && b <= 10000
		}},
	}
	for i := range all {
		all[i].provider, all[i].unit, all[i].stripe = "azure", 256, true
	}
	return all
}

// google has only prices by the GiB, so a Hyperdisk beyond its included performance has none.
func (s shop) google() []kind {
	price := map[string][3]float64{"": {0.17, 0.10, 0.08}, "europe-west3": {0.204, 0.12, 0.094}}[s.region]
	bySize := func(perGiB, mibPerGiB, mostIOPS, month float64) func(gib, ops, bytes float64) (float64, bool) {
		return func(gib, ops, bytes float64) (float64, bool) {
			return gib * month, gib >= 10 && ops <= min(mostIOPS, perGiB*gib) && bytes <= min(1200, mibPerGiB*gib)*mib
		}
	}
	hyperdisk := separately(3000, 140, 500, 160000, 2400, mib, [3]float64{price[2]})
	free := func(ops, bytes float64) bool { return ops <= 3000 && bytes <= 140*mib }
	return []kind{
		{name: "google-pd-ssd", provider: "google", unit: 16, most: 65536, priced: true,
			fits: bySize(30, 0.48, 100000, price[0])},
		{name: "google-pd-balanced", provider: "google", unit: 16, most: 65536, priced: true,
			fits: bySize(6, 0.28, 80000, price[1])},
		{name: "google-hyperdisk-balanced", provider: "google", unit: 16, most: 65536, priced: true,
			fits: func(gib, ops, bytes float64) (float64, bool) {
				month, ok := hyperdisk(gib, ops, bytes)
				return month, ok && gib >= 4 && free(ops, bytes)
			}},
		{name: "google-hyperdisk-balanced", provider: "google", unit: 16, most: 65536,
			fits: func(gib, ops, bytes float64) (float64, bool) {
				month, ok := hyperdisk(gib, ops, bytes)
				return month, ok && gib >= 4 && !free(ops, bytes)
			}},
	}
}
