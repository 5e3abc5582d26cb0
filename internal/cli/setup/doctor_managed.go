package setup

import (
	"regexp"
	"strings"

	"github.com/realiops/realiops/internal/cli/diagnosis"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe/anatomy"
	"github.com/realiops/realiops/internal/runfile"
)

// managed reports whether a cloud runs the server, so that its users are not root,
// superuser, or able to change its files.
func managed(f postgres.Facts) bool {
	return f.Flavor == postgres.FlavorAurora || f.Flavor == postgres.FlavorRDS || f.Service != ""
}

var (
	settingOn = regexp.MustCompile(`(?:alter system )?set (\w+) = on`)
	preloaded = regexp.MustCompile(`(\w+) (?:to|in) shared_preload_libraries`)
	onMachine = regexp.MustCompile(`as root|server's user|the machine|the server's machine`)
)

// withManagedRemedies replaces advice in d's cautions by what the cloud allows, if it runs the server.
func withManagedRemedies(f postgres.Facts, d diagnosis.Diagnosis) diagnosis.Diagnosis {
	if managed(f) {
		for i, c := range d.Cautions {
			d.Cautions[i].Remedy = managedRemedy(f, runfile.Gap{}, c.Remedy)
		}
	}
	return d
}

// managedRemedy returns AWS's counterpart of a remedy: a parameter group for settings, the master user for a
// superuser, and AWS's own counters for what only the machine shows.
func managedRemedy(f postgres.Facts, gap runfile.Gap, remedy string) string {
	if f.Service != "" {
		return remedyOfService(f, gap, remedy)
	}
	aurora := f.Flavor == postgres.FlavorAurora
	group := "the instance's parameter group (default groups are read-only: create your own and attach it)"
	if aurora {
		group = strings.Replace(group, "the instance's parameter group", "the cluster's parameter group", 1)
	}
	switch setting, library := settingOn.FindStringSubmatch(remedy), preloaded.FindStringSubmatch(remedy); {
	case setting != nil && setting[1] == "synchronous_commit": // every user may, for a session or role
		return remedy
	case setting != nil:
		return "set " + setting[1] + " = 1 in " + group
	case library != nil && strings.Contains(remedy, "create extension"):
		return "add " + library[1] + " to shared_preload_libraries in " + group +
			", reboot, and run in the measured database: create extension " + library[1] + ";"
	case library != nil:
		return "add " + library[1] + " to shared_preload_libraries in " + group + ", and reboot"
	case strings.HasPrefix(gap.Metric, "pgstat.wal/") && aurora: // pg_stat_statements has no WAL there, either
		return "no grant changes that; --aws reads WriteIOPS and WriteThroughput from CloudWatch, which " +
			"count Aurora's WAL"
	case strings.HasPrefix(gap.Metric, anatomy.Name+"/") && aurora:
		return "Aurora has no pg_walinspect; realiops estimates WAL records from what its clients did"
	case strings.HasPrefix(gap.Metric, anatomy.Name+"/"):
		return "as the master user, run in the measured database: create extension pg_walinspect; then " +
			"measure as that user"
	case onMachine.MatchString(remedy) && aurora:
		return "an Aurora instance cannot see its storage; --aws reads VolumeReadIOPs and VolumeWriteIOPs from " +
			"CloudWatch, and aurora_stat_database() counts storage_blks_read"
	case onMachine.MatchString(remedy):
		return "AWS gives no access to the machine; --aws reads its disk requests from CloudWatch and Performance " +
			"Insights (os.diskIO.rdsdev)"
	case strings.Contains(remedy, "the missing privilege"):
		return postgres.Grant("pg_monitor", f.User) + ", as the master user"
	default:
		return strings.ReplaceAll(remedy, "a superuser", "the master user")
	}
}

// remedyOfService is managedRemedy for other clouds, which have other names for settings and other roles.
func remedyOfService(f postgres.Facts, gap runfile.Gap, remedy string) string {
	place := map[bool]string{true: "the server parameters", false: "the database flags"}[f.Service == "Azure"]
	switch setting, library := settingOn.FindStringSubmatch(remedy), preloaded.FindStringSubmatch(remedy); {
	case setting != nil && setting[1] == "synchronous_commit": // every user may, for a session or role
		return remedy
	case setting != nil:
		return "set " + setting[1] + " = on in " + place + " of " + f.Service
	case library != nil:
		allowed := ""
		if f.Service == "Azure" {
			allowed = ", allow it in azure.extensions,"
		}
		return "unless it is there, add " + library[1] + " to shared_preload_libraries in " + place + " of " +
			f.Service + allowed + " and restart; then run in the measured database: create extension " +
			library[1] + ";"
	case strings.HasPrefix(gap.Metric, anatomy.Name+"/"):
		return f.Service + " does not let users read the WAL; realiops estimates WAL records from what its clients did"
	case onMachine.MatchString(remedy):
		return f.Service + " gives no access to the machine; its console shows the disk's own metrics, and realiops " +
			"explain says what each of them counts"
	case strings.Contains(remedy, "the missing privilege"):
		return postgres.Grant("pg_monitor", f.User) + ", as the database's administrator"
	default:
		return strings.ReplaceAll(remedy, "a superuser", "the database's administrator")
	}
}
