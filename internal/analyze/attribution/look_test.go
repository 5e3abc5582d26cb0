package attribution_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/runfile"
)

func TestLook(t *testing.T) {
	path := os.Getenv("LOOK")
	if path == "" {
		t.Skip("for looking")
	}
	records, f, err := runfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	run, err := drivers.FromRun(records)
	if err != nil {
		t.Fatal(err)
	}
	v := attribution.Judge(run, attribution.Options{})
	for _, m := range v.Metrics {
		fmt.Printf("%-38s %-12s %s", m.Metric.Name, m.Kind, m.Counts)
		if m.PerUnit != nil {
			fmt.Printf(" %.4g [%.4g %.4g]", m.PerUnit.Value, m.PerUnit.Lo, m.PerUnit.Hi)
		}
		if m.Exact {
			fmt.Print(" exact")
		}
		if len(m.Between) > 0 {
			fmt.Print(" between ", m.Between)
		}
		if m.Mixture != nil {
			for _, t := range m.Mixture.Terms {
				fmt.Printf(" + %.4g [%.4g %.4g] %s (%.0f%%)", t.PerUnit.Value, t.PerUnit.Lo, t.PerUnit.Hi, t.Driver, 100*t.Share)
			}
			fmt.Printf(" off %.3f", m.Mixture.Off)
		}
		fmt.Println(" ", m.Why)
		if m.SettleWith != nil {
			fmt.Println("      settle", *m.SettleWith)
		}
		for _, w := range m.Warnings {
			fmt.Println("     ", w)
		}
		if os.Getenv("V") != "" {
			for _, r := range m.Rivals {
				fmt.Printf("      %-16s %-10s", r.Driver, r.Status)
				if r.Spread != nil {
					fmt.Printf(" spread %.3f [%.3f %.3f] ratio %.4g [%.4g %.4g]", r.Spread.Value, r.Spread.Lo, r.Spread.Hi, r.Ratio.Value, r.Ratio.Lo, r.Ratio.Hi)
				}
				fmt.Println()
			}
		}
	}
	for _, w := range v.Warnings {
		fmt.Println(w)
	}
}
