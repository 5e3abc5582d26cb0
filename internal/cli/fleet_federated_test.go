package cli

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

// federated returns series as seen by a Prometheus that federates them from another, whose address is the instance.
func federated(by string, all []prometheustest.Series) []prometheustest.Series {
	for i, s := range all {
		all[i].Labels = `exported_` + s.Labels + `,instance="` + by + `:9090"`
	}
	return all
}

// TestFleetOfAFederation: a federated series counts under the address scraped originally. It is the same database as
// one scraped here under that name if both have the same values, and otherwise a second one.
func TestFleetOfAFederation(t *testing.T) {
	t.Parallel()
	for engine, start := range prometheustest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			on := func(host string, rate float64) []prometheustest.Series {
				return serverOn(host, "", 0, command.Day, 10*time.Minute, rate, 0)
			}
			instance := func(name string, rate float64) (all []prometheustest.Series) {
				for metric, v := range map[string]float64{"read_iops": rate, "write_iops": 0,
					"read_throughput": rate * 8192, "write_throughput": 0} {
					all = append(all, prometheustest.Series{Name: "aws_rds_" + metric + "_average",
						Labels: `instance="` + name + `"`, Samples: between(0, command.Day, 5*time.Minute, always(v))})
				}
				return all
			}
			url := start(t, slices.Concat(on("both", 40), federated("prom", on("both", 40)),
				federated("prom", on("one", 50)), federated("prom", on("two", 60)),
				on("other", 70), federated("prom", on("other", 700)), federated("prom", instance("rds", 80)))...)
			has := filepath.Join(t.TempDir(), "has.csv")
			if err := os.WriteFile(has, []byte("database,volume,gib\nrds,rds-gp3,500\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			out, _ := fleetAt(t, fleetBegin.Add(command.Day+time.Minute), command.ExitDone, "--prometheus", url,
				"--for", "1d", "--has", has, "--dir", filepath.Join(t.TempDir(), "fleet"), "--format", "json")
			got := map[string]float64{}
			for name, d := range fleetOf(t, out) {
				got[name] = 0
				if d.Need != nil {
					got[name] = math.Round(d.Need.WorstHour.Requests)
				}
			}
			if want := map[string]float64{"both": 40, "one": 50, "two": 60, "other": 70, "prom/other": 700,
				"rds": 80}; !maps.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
}
