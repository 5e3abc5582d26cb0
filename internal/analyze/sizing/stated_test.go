package sizing_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

func said(requests, bytes, size float64) sizing.Stated {
	return sizing.Stated{Requests: requests, Bytes: bytes, RequestSize: size, Hours: 24}
}

// TestTwoOfThree: requests, bytes and the size of a request; any two give the third.
func TestTwoOfThree(t *testing.T) {
	nan := math.NaN()
	want := needs.Rate{Reads: 1200, Writes: 1800, Flushes: 900, ReadBytes: 0.4 * 3000 * 8192,
		WriteBytes: 0.6 * 3000 * 8192}
	for _, s := range []sizing.Stated{said(3000, 3000*8192, nan), said(3000, nan, 8192), said(nan, 3000*8192, 8192),
		said(3000, 3000*8192*1.04, 8192)} {
		s.Reads, s.Flushes = 0.4, 900
		got, err := s.Rate()
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0.05, 0)); diff != "" || err != nil {
			t.Errorf("%+v: %v (-want +got):\n%s", s, err, diff)
		}
	}
	check := func(s sizing.Stated, want string) {
		t.Helper()
		if _, err := s.Rate(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	check(said(3000, nan, nan), "give two of iops=, mbps= and kb=")
	check(said(nan, nan, 8192), "give two of iops=, mbps= and kb=")
	check(said(3000, 120e6, 8192),
		"iops=3000 of kb=8 are 24.6 MB/s, but you gave 120 MB/s; leave one out")
}

// TestHowLongCreditsLast: gp2 of 33 GiB at 3,000 IOPS is empty after 5.4 M / 2,900 = 1,862 s (EBS user guide); st1 of
// 500 GiB at 43 MiB/s in requests of 1 MiB after 512,000 / (43 - 19.53) s, six hours, as published (2020).
func TestHowLongCreditsLast(t *testing.T) {
	dry := func(name string, gib float64, s sizing.Stated) float64 {
		t.Helper()
		ask := sizing.Ask{GiB: gib, Repeat: 86400, HardDisks: true, Volumes: []catalog.Volume{volume(t, name)},
			Tariff: tariff(t, "us-east-1")}
		answer, err := sizing.SizeStated(ask, s)
		if err != nil || answer.Options[0].Bare == nil {
			t.Fatal(answer.Options, err)
		}
		for _, f := range answer.Options[0].Bare.Outcome.Limits {
			if f.FirstDry >= 0 {
				return float64(f.FirstDry)
			}
		}
		return math.Inf(1)
	}
	near(t, "gp2", dry("gp2", 33, said(3000, math.NaN(), 8192)), 1862, 1)
	near(t, "st1", dry("st1", 500, said(math.NaN(), 43<<20, 1<<20)), 6.06*3600, 60)
}

// TestHoursOfADay: a need of one hour a day leaves 23 to refill the bucket: 900 IOPS for 3,600 s on 100 GiB of gp2, of
// which 300 are earned, take 2.16 M of its 5.4 M credits, and are back after two hours. A need without end is ordered
// in full.
func TestHoursOfADay(t *testing.T) {
	least := func(hours float64) float64 {
		t.Helper()
		s := said(900, math.NaN(), 8192)
		s.Hours = hours
		ask := sizing.Ask{GiB: 100, Repeat: 7 * 86400, Volumes: []catalog.Volume{volume(t, "gp2")},
			Tariff: tariff(t, "us-east-1")}
		answer, err := sizing.SizeStated(ask, s)
		if err != nil || answer.Options[0].Order.GiB != 300 {
			t.Fatal(answer.Options, err)
		}
		if b := answer.Options[0].Burst; b != nil {
			return b.Order.GiB
		}
		return answer.Options[0].Order.GiB
	}
	if one, always := least(1), least(24); one != 100 || always < 290 {
		t.Errorf("%g GiB for an hour a day, %g for all of it", one, always)
	}
}
