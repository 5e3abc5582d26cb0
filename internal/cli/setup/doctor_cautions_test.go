package setup

import (
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/cli/diagnosis"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/measure/target"
)

// TestDoctorWarnsOfAuroraViews: on Aurora, and nowhere else.
func TestDoctorWarnsOfAuroraViews(t *testing.T) {
	for _, flavor := range []string{postgres.FlavorAurora, postgres.FlavorRDS, postgres.FlavorPostgres} {
		all := cautions(postgres.Facts{Flavor: flavor, MaySeeOthers: true, MayCheckpoint: true}, postgres.Permissions{},
			&target.Probes{Stats: &pgstat.Sampler{}})
		i := slices.IndexFunc(all, func(c diagnosis.Caution) bool { return c.Code == "aurora-views" })
		if (i >= 0) != (flavor == postgres.FlavorAurora) {
			t.Errorf("on %s: %+v", flavor, all)
			continue
		}
		if i < 0 {
			continue
		}
		for _, want := range []string{"pg_stat_wal is refused", "neither WAL bytes nor dirtied blocks", "extends",
			"count growth of files, not writes", "0.83 to 0.88", "mean nothing", "six copies"} {
			if !strings.Contains(all[i].Text, want) {
				t.Errorf("%q is not in %q", want, all[i].Text)
			}
		}
	}
}

// A run takes eight clients and five more sessions by default. Without room for one client it is refused.
func TestDoctorWarnsOfFewConnections(t *testing.T) {
	for connections, want := range map[int]bool{5: false, 6: true, 12: true, 13: false} {
		all := cautions(postgres.Facts{Connections: connections}, postgres.Permissions{},
			&target.Probes{Stats: &pgstat.Sampler{}})
		if slices.ContainsFunc(all, func(c diagnosis.Caution) bool { return c.Code == "few-connections" }) != want {
			t.Errorf("with %d connections: %+v", connections, all)
		}
	}
}
