package fleet

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/openmetrics"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// Rank sorts databases by saving. unread are files, and families names of series, that were found but not used.
func (a Ask) Rank(all []Database, unread, families []string) Fleet {
	f := Fleet{Schema: Schema, Currency: a.Currency(), Databases: slices.Clone(all), Unread: unread, Families: families,
		NotFound: []string{}}
	for _, name := range slices.Sorted(maps.Keys(a.Has)) {
		if !slices.ContainsFunc(all, func(d Database) bool { return d.Name == name }) {
			f.NotFound = append(f.NotFound, name)
		}
	}
	slices.SortFunc(f.Databases, byMoney)
	for _, d := range f.Databases {
		if f.From.IsZero() || !d.From.IsZero() && d.From.Before(f.From) {
			f.From = d.From
		}
		if d.To.After(f.To) {
			f.To = d.To
		}
		if d.cheaper() {
			f.AsOf = catalog.Dates(f.AsOf, d.AsOf)
			f.Saves = Span{f.Saves.Value + d.Saves.Value, f.Saves.Lowest + d.Saves.Lowest, f.Saves.Highest +
				d.Saves.Highest}
		}
	}
	return f
}

// Currency returns the currency of the prices.
func (a Ask) Currency() string { return sizing.Tariff{Prices: a.Prices}.Currency() }

// Concludes reports whether anything is known about any database.
func (f Fleet) Concludes() bool {
	return slices.ContainsFunc(f.Databases, func(d Database) bool { return d.Need != nil || d.Aurora != nil })
}

// cheaper reports whether the database would cost less with the storage it needs.
func (d Database) cheaper() bool { return d.Saves != nil && d.Saves.Value >= worthALine }

// worthALine is the smallest monthly amount that is mentioned.
const worthALine = 1

func byMoney(a, b Database) int {
	switch {
	case a.Saves == nil && b.Saves == nil:
		return strings.Compare(a.Name, b.Name)
	case a.Saves == nil:
		return 1
	case b.Saves == nil:
		return -1
	}
	return cmp.Or(cmp.Compare(b.Saves.Value, a.Saves.Value), strings.Compare(a.Name, b.Name))
}

// atRisk returns the databases at risk, the most severe first, then the soonest.
func (f Fleet) atRisk() []Database {
	ends := func(d Database) int64 {
		if d.Risk.Level != Ending {
			return 0
		}
		return d.Risk.Credits.first().Unix()
	}
	rank := func(d Database) int { return slices.Index(levels(), d.Risk.Level) }
	all := slices.DeleteFunc(slices.Clone(f.Databases), func(d Database) bool {
		return d.Risk.Level == None || d.Risk.Level == NotKnown
	})
	slices.SortFunc(all, func(a, b Database) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(ends(a), ends(b)),
			cmp.Compare(b.Risk.Uses, a.Risk.Uses), strings.Compare(a.Name, b.Name))
	})
	return all
}

// lack is something unknown about some databases.
type lack struct {
	text  string
	names []string
}

// lacks returns what is unknown, for most databases first.
func (f Fleet) lacks() (all []lack) {
	for _, d := range f.Databases {
		for _, text := range d.Lacks {
			i := slices.IndexFunc(all, func(l lack) bool { return l.text == text })
			if i < 0 {
				i, all = len(all), append(all, lack{text: text})
			}
			all[i].names = append(all[i].names, d.Name)
		}
	}
	slices.SortStableFunc(all, func(a, b lack) int { return cmp.Compare(len(b.names), len(a.names)) })
	return all
}

// Gauges returns the fleet's metrics for Prometheus. Unknown values have no sample.
func (f Fleet) Gauges() []*openmetrics.Metric {
	gauge := func(name, help string, labels ...string) *openmetrics.Metric {
		return &openmetrics.Metric{Name: "realiops_" + name, Help: help, Labels: append([]string{"database"}, labels...)}
	}
	info := gauge("database_info", "What a database is, and what it has and should have: of the sorts of volume that "+
		"realiops size orders.", "kind", "class", "region", "has", "order")
	requests := gauge("database_needed_requests_per_second",
		"Requests that its storage must carry: in a typical hour, in the worst one, and what is ordered for.", "in")
	bytes := gauge("database_needed_bytes_per_second",
		"Bytes that its storage must carry: in a typical hour, in the worst one, and what is ordered for.", "in")
	carried := gauge("database_carried_requests_per_second", "Requests that its volume and machine carry for good.")
	uses := gauge("database_used_ratio", "The highest hour as a share of what its volume and machine carry for good.")
	risk := gauge("database_risk", "1 for how close its storage is to limiting it.", "level")
	ends := gauge("database_credits_end_timestamp_seconds",
		"When its credits end if the next weeks are as the last seven days were.")
	saves := gauge("database_saved_per_month", "What another order would save at list prices, with the ends of what "+
		"that may be; below 0: it costs more.", "bound", "currency")
	known := gauge("database_known_ratio", "The share of its hours that are known.")
	since := gauge("database_known_until_timestamp_seconds", "When its last known hour ended.")
	missing := gauge("database_not_found", "1 for a database that --has names and the source does not have.")
	until := &openmetrics.Metric{Name: "realiops_fleet_end_timestamp_seconds",
		Help: "Until when the fleet was looked at."}
	volume := func(s *Storage) string {
		if s == nil {
			return ""
		}
		return s.Volume
	}
	for _, d := range f.Databases {
		info.Add(1, d.Name, string(d.Kind), d.Class, d.Region, volume(d.Has), volume(d.Order))
		risk.Add(1, d.Name, string(d.Risk.Level))
		if d.Hours > 0 {
			known.Add(float64(d.Known)/float64(d.Hours), d.Name)
		}
		if !d.KnownUntil.IsZero() {
			since.Add(float64(d.KnownUntil.Unix()), d.Name)
		}
		d.addNeed(requests, bytes)
		if d.Has != nil {
			carried.Add(d.Has.Carries.Requests, d.Name)
			uses.Add(d.Risk.Uses, d.Name)
		}
		if c := d.Risk.Credits; c != nil && c.Ends != nil {
			ends.Add(float64(c.Ends.Unix()), d.Name)
		}
		if d.Saves != nil {
			saves.Add(d.Saves.Value, d.Name, "value", f.Currency)
			saves.Add(d.Saves.Lowest, d.Name, "lowest", f.Currency)
			saves.Add(d.Saves.Highest, d.Name, "highest", f.Currency)
		}
	}
	for _, name := range f.NotFound {
		missing.Add(1, name)
	}
	if !f.To.IsZero() {
		until.Add(float64(f.To.Unix()))
	}
	return []*openmetrics.Metric{info, requests, bytes, carried, uses, risk, ends, saves, known, since, missing, until}
}

func (d Database) addNeed(requests, bytes *openmetrics.Metric) {
	if d.Need == nil {
		return
	}
	ordered := d.Need.Least
	if d.Need.Most != nil {
		ordered = *d.Need.Most
	}
	for _, part := range []struct {
		in string
		of Rate
	}{{"typical hour", d.Need.Typical}, {"worst hour", d.Need.WorstHour}, {"order", ordered}} {
		requests.Add(part.of.Requests, d.Name, part.in)
		bytes.Add(part.of.MiBps*mib, d.Name, part.in)
	}
}
