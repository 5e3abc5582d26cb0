package setup

import (
	"regexp"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/cli/diagnosis"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// refused matches advice that does not work on Aurora and RDS: PostgreSQL's own way to change a setting, the
// machine, the superuser, and grants that AWS keeps for itself.
var refused = regexp.MustCompile(
	`alter system|as root|superuser|server's user|pg_reload_conf|restart the server|pg_stat_get_wal|pg_read_server_files|on the machine`)

// TestRemediesOfAManagedServer: no advice is one that AWS refuses.
func TestRemediesOfAManagedServer(t *testing.T) {
	reasons := []runfile.Reason{
		runfile.Permission, runfile.Disabled, runfile.Absent, runfile.NotLocal, runfile.Unsupported, runfile.Late,
		runfile.Failed,
	}
	details := []string{"", "permission denied for function pg_stat_get_wal",
		"Function pg_stat_get_wal() is currently not supported for Aurora"}
	own, advised := 0, 0
	for _, facts := range everyServer() {
		flavor, remedy := facts.Flavor+facts.Service, remedyOf(facts)
		for _, m := range metric.All() {
			for _, reason := range reasons {
				for _, detail := range details {
					text := remedy(runfile.Gap{Metric: m.Name, Reason: reason, Code: "42501", Detail: detail})
					switch {
					case !refused.MatchString(text) && text != "":
						advised++
					case refused.MatchString(text) && flavor == postgres.FlavorPostgres:
						own++
					case refused.MatchString(text):
						t.Fatalf("%s, %s %s (%s): %s", flavor, m.Name, reason, detail, text)
					}
				}
			}
		}
	}
	if own == 0 || advised == 0 {
		t.Errorf("%d remedies that AWS refuses, and %d others: it tries nothing", own, advised)
	}
}

// everyServer returns one server of each kind, a self-managed one last.
func everyServer() []postgres.Facts {
	all := []postgres.Facts{{Flavor: postgres.FlavorAurora, User: "me"}, {Flavor: postgres.FlavorRDS, User: "me"}}
	for _, service := range []string{"Cloud SQL", "AlloyDB", "Azure"} {
		all = append(all, postgres.Facts{Flavor: postgres.FlavorPostgres, Service: service, User: "me"})
	}
	return append(all, postgres.Facts{Flavor: postgres.FlavorPostgres, User: "me"})
}

// TestRevokedView: a view that was taken from PUBLIC is given back by name, for pg_monitor has no right on it.
func TestRevokedView(t *testing.T) {
	for _, facts := range everyServer() {
		got := remedyOf(facts)(runfile.Gap{Metric: "pgstat.database/xact_commit", Reason: runfile.Permission, Code: "42501",
			Detail: "permission denied for view pg_stat_database"})
		if !strings.HasPrefix(got, "grant select on pg_stat_database to me") ||
			strings.Contains(got, ", as ") != (facts.Service != "" || facts.Flavor != postgres.FlavorPostgres) {
			t.Errorf("%s%s: %s", facts.Flavor, facts.Service, got)
		}
	}
}

func TestParameterGroups(t *testing.T) {
	for flavor, want := range map[string]string{postgres.FlavorAurora: "the cluster's parameter group",
		postgres.FlavorRDS: "the instance's parameter group"} {
		remedy := remedyOf(postgres.Facts{Flavor: flavor, User: "me"})
		if got := remedy(runfile.Gap{Metric: "pgstat.database/blk_read_time",
			Reason: runfile.Disabled}); !strings.HasPrefix(got, "set track_io_timing = 1 in "+want) {
			t.Errorf("%s: %s", flavor, got)
		}
	}
}

// TestCautionsOfAManagedServer: a report's warnings have remedies that AWS allows, too.
func TestCautionsOfAManagedServer(t *testing.T) {
	for _, flavor := range []string{postgres.FlavorAurora, postgres.FlavorRDS} {
		settings := map[string]string{"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
		f := postgres.Facts{Flavor: flavor, User: "me"}
		d := diagnosis.New(diagnosis.Subject{
			Target: runfile.Target{Flavor: flavor, Version: "17.5", Settings: settings},
			Remedy: remedyOf(f), Advise: hostOf(f).advise,
		})
		advised := map[string]string{}
		for _, c := range d.Cautions {
			advised[c.Code] = c.Remedy
			if refused.MatchString(c.Remedy) || strings.HasPrefix(c.Remedy, "set f") &&
				!strings.Contains(c.Remedy, "parameter group") {
				t.Errorf("%s, %s: %s", flavor, c.Code, c.Remedy)
			}
		}
		if flavor == postgres.FlavorRDS &&
			!strings.HasPrefix(advised["fsync-off"], "set fsync = 1 in the instance's parameter group") {
			t.Errorf("%s: %q", flavor, advised)
		}
	}
}
