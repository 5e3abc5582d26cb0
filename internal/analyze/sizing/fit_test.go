package sizing_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/sizing"
)

func noPrice(sizing.Config) (float64, bool) { return 0, false }

// TestFit computes small orders by hand.
func TestFit(t *testing.T) {
	type order struct {
		GiB, IOPS, MiBps float64
		Binding          sizing.Binding
	}
	check := func(name string, need sizing.Requirement, want order) {
		t.Helper()
		f, err := sizing.Fit(volume(t, name), need, noPrice)
		if err != nil {
			t.Errorf("%s for %+v: %v", name, need, err)
			return
		}
		if diff := cmp.Diff(want, order{f.GiB, f.IOPS, f.MiBps, f.Binding}); diff != "" {
			t.Errorf("%s for %+v (-want +got):\n%s", name, need, diff)
		}
	}
	need := func(gib, iops, mibps float64) sizing.Requirement {
		return sizing.Requirement{GiB: gib, IOPS: iops, MiBps: mibps}
	}
	check("gp3", need(100, 2000, 100), order{100, 0, 0, sizing.BySize})
	check("gp3", need(10, 9000, 100), order{18, 9000, 0, sizing.ByOperations}) // 500 a GiB
	check("gp3", need(100, 2000, 1000), order{100, 4000, 1000, sizing.BySize}) // 0.25 MiB/s for each of 4,000
	check("gp2", need(100, 4500, 100), order{1500, 0, 0, sizing.ByOperations}) // 3 a GiB
	check("gp2", need(20, 90, 200), order{171, 0, 0, sizing.ByBytes})          // 250 MiB/s from 171 GiB on
	check("io2", need(100, 2000, 1024), order{100, 4000, 0, sizing.BySize})    // 0.256 MiB/s for each
	check("io1", need(100, 1000, 875), order{1120, 56000, 0, sizing.ByBytes})  // 500 + (56,000 - 32,000) / 64
	check("st1", need(500, 100, 120), order{3072, 0, 0, sizing.ByBytes})       // 40 MiB/s a TiB
	check("rds-gp3", need(100, 5000, 100), order{400, 0, 0, sizing.ByOperations})
	check("rds-io1", need(50, 100, 100), order{100, 1000, 0, sizing.BySize}) // at least 100 GiB and 1,000
	check("azure-premium", need(600, 3000, 100), order{1024, 0, 0, sizing.ByOperations})
	check("azure-premium", need(600, 1000, 50), order{1024, 0, 0, sizing.BySize}) // nothing lies between 512 and 1,024
	check("azure-premium", need(600, 3000, 220), order{2048, 0, 0, sizing.ByBytes})
}

func TestFitSaysWhatIsTooMuch(t *testing.T) {
	_, err := sizing.Fit(volume(t, "gp2"), sizing.Requirement{GiB: 100, IOPS: 20000, MiBps: 0.04}, noPrice)
	if want := "EBS gp2 does not reach 20,000 IOPS and 0.04 MiB/s on 100 GiB at any size"; err == nil ||
		err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
