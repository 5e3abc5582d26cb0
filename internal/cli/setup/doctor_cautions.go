package setup

import (
	"cmp"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/cli/diagnosis"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/anatomy"
	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/measure/probe/request"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// clockMatters is the difference of clocks, in seconds, from which times in the server's log or in a cloud's
// metrics may belong to another load.
const clockMatters = 1

// cautions returns what makes numbers misleading on this server, beyond the warnings of a run's report.
func cautions(f postgres.Facts, allowed postgres.Permissions, p *target.Probes) (all []diagnosis.Caution) {
	caution := func(applies bool, code, text, remedy string) {
		if applies {
			all = append(all, diagnosis.Caution{Code: code, Text: text, Remedy: remedy})
		}
	}
	caution(p.Stats.Notice() != "", "newer-server", p.Stats.Notice()+".", "look for a newer realiops")
	if err := f.RefuseClients(experiment.DefaultSizes().Clients); err != nil && f.RefuseClients(1) == nil {
		caution(true, "few-connections", "A run would not begin without --clients: "+err.Error()+".", "")
	}
	others := othersOn(p.Storage)
	caution(len(others) > 0 && p.ByFile(), "disk-of-many",
		"The data's disk also holds "+strings.Join(others, ", ")+
			". Verdicts and sizes use only the requests for this server's files.", "")
	caution(len(others) > 0 && !p.ByFile(), "disk-of-many",
		"The data's disk also holds "+strings.Join(others, ", ")+", and requests for those are counted too.",
		"put the data on a disk of its own; --own-device does that for a server that realiops starts")
	caution(f.Settings["track_counts"] == "off", "track-counts-off",
		"track_counts is off, so no counter of tables and rows moves.",
		hostOf(f).advise(probe.Remedy{Setting: "track_counts", Text: "set track_counts = on"}))
	caution(strings.HasPrefix(f.Settings["wal_sync_method"], "open_"), "wal-sync-hidden",
		"wal_sync_method is "+f.Settings["wal_sync_method"]+
			": every WAL write is also a flush, and no fsync counter shows those.", "")
	caution(f.BusySessions > 0 && allowed.Shared, "shared-server",
		f.OthersAtWork()+", and their writes are counted as ours.", "wait until they finish")
	caution(!f.MaySeeOthers, "others-hidden",
		"This user sees other sessions only in a transaction, so the server may be busier than it seems.",
		"grant pg_read_all_stats (or pg_monitor) to "+postgres.Typed(f.User, "ROLE"))
	caution(f.Flavor == postgres.FlavorAurora, "aurora-views",
		"PostgreSQL's views differ on Aurora: "+strings.Join(metric.AuroraViews(), "; ")+".", "")
	caution(!f.MayCheckpoint, "no-checkpoint",
		"This user may not run CHECKPOINT, so pages that one load leaves dirty are counted under later loads.", checkpointRemedy(f))
	caution(f.Clock.Off(clockMatters), "clock-offset",
		"The server's clock and ours differ by more than a second, so times in its log do not match the run file.",
		"synchronize the clocks")
	return all
}

// cautionsOfTriggers names superusers' event triggers; other users' are a refusal.
func cautionsOfTriggers(all []postgres.EventTrigger, f postgres.Facts) []diagnosis.Caution {
	ddl, login := postgres.Fired(slices.DeleteFunc(slices.Clone(all), func(t postgres.EventTrigger) bool {
		return !t.Trusted
	}))
	return append(said("event-triggers", ddl, ""), said("login-triggers", login,
		"as "+hostOf(f).administrator+": alter role "+postgres.Quoted(f.User)+" set event_triggers = off")...)
}

// said returns the caution with a text, or none without a text.
func said(code, text, remedy string) []diagnosis.Caution {
	if text == "" {
		return nil
	}
	return []diagnosis.Caution{{Code: code, Text: text, Remedy: remedy}}
}

// othersOn returns what shares the data's disks, except one file system that may be the data's alone.
func othersOn(storage runfile.Storage) []string {
	var all []string
	for _, d := range storage.Devices {
		if len(d.Carries) > 1 || slices.Contains(d.Carries, "/") {
			all = append(all, d.Carries...)
		}
	}
	if storage.Own {
		return nil
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// checkpointRemedy depends on the version that introduced the role.
func checkpointRemedy(f postgres.Facts) string {
	const firstWithRole = 150000
	if f.VersionNum < firstWithRole {
		return "connect as " + hostOf(f).administrator + "; from PostgreSQL 15 on a role is enough: grant pg_checkpoint"
	}
	return postgres.Grant("pg_checkpoint", f.User)
}

// remedyOf returns a function with advice about a gap: the host's, the probe's, or else by the kind of gap.
func remedyOf(f postgres.Facts) func(runfile.Gap) string {
	on := hostOf(f)
	return func(gap runfile.Gap) string {
		remedy := cmp.Or(pgstat.Remedy(gap), anatomy.Remedy(gap), block.Remedy(gap), request.Remedy(gap), layout.Remedy(gap))
		switch wal := strings.HasPrefix(gap.Metric, anatomy.Name+"/"); {
		case wal && on.wal != "" && remedy.Text != "":
			return on.wal
		case f.Flavor == postgres.FlavorAurora && strings.HasPrefix(gap.Metric, "pgstat.wal/"):
			return "no grant changes that; --aws reads WriteIOPS and WriteThroughput from CloudWatch, which count Aurora's WAL"
		case remedy.Text == "" && gap.Reason == runfile.Permission:
			remedy = probe.Remedy{Machine: true,
				Text: postgres.Grant("pg_monitor", f.User) + ", or run realiops as the server's user or as root"}
		case remedy.Text == "" && gap.Reason == runfile.NotLocal:
			remedy = probe.Remedy{Machine: true,
				Text: "run realiops on the machine with the data, as root or as the server's user"}
		}
		return strings.ReplaceAll(on.advise(remedy), "the user of this connection", postgres.Typed(f.User, "ROLE"))
	}
}
