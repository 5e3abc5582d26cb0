package pgstat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// newest is the last major version whose statistics are known here.
const newest = 19

// Remedy returns one line of advice, for the server's operators, about a gap in this sampler's metrics. It is empty
// if there is none, and for gaps of other probes.
func Remedy(gap runfile.Gap) probe.Remedy {
	v, f, known := find(gap.Metric)
	if !known {
		return probe.Remedy{}
	}
	switch needs := setting(v.metric(f)); {
	case gap.Reason == runfile.Disabled && needs != "":
		return probe.Remedy{Setting: needs, Text: fmt.Sprintf("alter system set %s = on; select pg_reload_conf();", needs)}
	case gap.Reason == runfile.Disabled && v.extension != "":
		return probe.Remedy{Library: v.extension,
			Text: fmt.Sprintf("add %s to shared_preload_libraries and restart the server", v.extension)}
	case gap.Reason == runfile.Absent:
		return probe.Remedy{Library: v.extension, Text: fmt.Sprintf("with %s in shared_preload_libraries (which takes a "+
			"restart), run in the measured database: create extension %[1]s;", v.extension)}
	case gap.Reason == runfile.Permission && gap.Code != "":
		const user = "the user of this connection"
		remedy := probe.Remedy{Grant: true, Text: cmp.Or(postgres.MissingGrant(gap.Detail, user),
			"grant "+user+" the missing privilege: "+gap.Detail)}
		if !slices.ContainsFunc(v.relations, func(r string) bool { return strings.Contains(gap.Detail, r) }) {
			remedy.Role = "pg_monitor" // it may call functions, and has no right on views
		}
		return remedy
	case gap.Reason == runfile.Permission &&
		f.null != nil: // a NULL: the role that may see other users' sessions
		return probe.Remedy{Text: f.null.remedy}
	case gap.Reason == runfile.Late:
		return probe.Remedy{Text: "check pg_locks for locks on what the view reads, and how long they are held"}
	case gap.Reason == runfile.Unsupported:
		return probe.Remedy{Text: v.elsewhere(f, gap)}
	default:
		return probe.Remedy{}
	}
}

func find(name string) (view, field, bool) {
	for _, v := range known() {
		for _, f := range v.fields {
			if v.name+"/"+f.name == name {
				return v, f, true
			}
		}
	}
	return view{}, field{}, false
}

// elsewhere says where this version shows the same, or which version shows it.
func (v view) elsewhere(f field, gap runfile.Gap) string {
	m := v.metric(f)
	switch first, last := m.Versions.First, m.Versions.Last; {
	case gap.Code == notSupported:
		return v.remedy
	case f.null != nil && gap.Code == "":
		return f.null.remedy
	case len(m.Instead) > 0 && gap.Code != undefinedTable: // a server without the whole view is too old for either
		return fmt.Sprintf("from %d on %s", last+1, shownBy(m.Instead))
	case v.extension != "":
		return fmt.Sprintf("PostgreSQL %d and later have it, after: alter extension %s update;", first, v.extension)
	case first > 0 && last > 0:
		return fmt.Sprintf("PostgreSQL %d to %d have it", first, last)
	case first > 0:
		return fmt.Sprintf("PostgreSQL %d and later have it", first)
	default:
		return ""
	}
}

func shownBy(names []string) string {
	var printed []string
	for _, name := range names {
		printed = append(printed, metric.Printed(name, 0))
	}
	if len(printed) > 1 {
		return strings.Join(printed, " and ") + " show it"
	}
	return printed[0] + " shows it"
}

// Notice returns one line about a server that is newer than any known here, or "".
func (s *Sampler) Notice() string { return s.notice }

func notice(server catalog, lacks, metrics int) string {
	if server.number/10000 <= newest {
		return ""
	}
	return fmt.Sprintf("PostgreSQL %s is newer than %d, the newest that realiops supports; %d of %d metrics are "+
		"missing, and new ones are ignored", server.version, newest, lacks, metrics)
}
