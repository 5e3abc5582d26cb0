package pgstat

import (
	"fmt"
	"slices"

	"github.com/realiops/realiops/internal/runfile"
)

// newest is the last major version whose statistics are known here.
const newest = 18

// Remedy says what can be done about a gap in this sampler's metrics, in one line, for whoever runs the server. It is
// empty where nothing can be done, and for gaps of other probes.
func Remedy(gap runfile.Gap) string {
	v, f, known := find(gap.Metric)
	if !known {
		return ""
	}
	switch gap.Reason {
	case runfile.Disabled:
		return v.enable(f)
	case runfile.Absent:
		return fmt.Sprintf("with %s in shared_preload_libraries (which takes a restart), in the database that is measured: "+
			"create extension %[1]s;", v.extension)
	case runfile.Permission:
		return v.grant(f, gap)
	case runfile.Late:
		return "see in pg_locks who holds a lock on what the view reads, and for how long"
	case runfile.Unsupported:
		return v.elsewhere(f, gap)
	default:
		return ""
	}
}

// find is the view and the field of a metric.
func find(metric string) (view, field, bool) {
	for _, v := range known() {
		for _, f := range v.fields {
			if v.metric(f).Name == metric {
				return v, f, true
			}
		}
	}
	return view{}, field{}, false
}

// enable is how to turn on what a setting has turned off.
func (v view) enable(f field) string {
	switch {
	case f.setting != "":
		return fmt.Sprintf("alter system set %s = on; select pg_reload_conf();", f.setting)
	case v.extension != "":
		return fmt.Sprintf("add %s to shared_preload_libraries and restart the server", v.extension)
	default:
		return ""
	}
}

// grant is the privilege that is missing: a refusal names what it is for; an answer that is only empty takes the role
// that may see other users' sessions.
func (v view) grant(f field, gap runfile.Gap) string {
	if gap.Code != "" {
		return "grant the user of this connection what the server refused: " + gap.Detail
	}
	if f.null != nil {
		return f.null.remedy
	}
	return ""
}

// elsewhere is what shows the same in this version, or which version shows it.
func (v view) elsewhere(f field, gap runfile.Gap) string {
	switch {
	case gap.Code == notSupported:
		return v.remedy
	case f.null != nil && gap.Code == "":
		return f.null.remedy
	case f.instead != "" && gap.Code != undefinedTable: // a server without the whole view is too old for either
		return f.instead
	case v.extension != "":
		return fmt.Sprintf("PostgreSQL %d and later show it, after: alter extension %s update;", f.shown.First, v.extension)
	case f.shown.First > 0 && f.shown.Last > 0:
		return fmt.Sprintf("PostgreSQL %d to %d show it", f.shown.First, f.shown.Last)
	case f.shown.First > 0:
		return fmt.Sprintf("PostgreSQL %d and later show it", f.shown.First)
	default:
		return ""
	}
}

// Condition is what it takes for a server to show a metric.
type Condition struct {
	Versions Span
	Needs    []string // extensions that must be there, and settings that must be on
}

// Conditions are those of each metric.
func Conditions() map[string]Condition {
	conditions := map[string]Condition{}
	for _, v := range known() {
		for _, f := range v.fields {
			conditions[v.metric(f).Name] = Condition{f.shown, v.needs(f)}
		}
	}
	return conditions
}

func (v view) needs(f field) []string {
	nothing := func(name string) bool { return name == "" }
	return slices.DeleteFunc([]string{v.extension, f.setting}, nothing)
}

// Notice is one line about a server that is newer than any known here; empty for all others.
func (s *Sampler) Notice() string { return s.notice }

func notice(server catalog, lacks, metrics int) string {
	if server.number/10000 <= newest {
		return ""
	}
	return fmt.Sprintf("PostgreSQL %s is newer than %d, the newest that realiops knows: of its statistics what has a known "+
		"name is read, what is new is left alone, and %d of %d metrics are missing", server.version, newest, lacks, metrics)
}
