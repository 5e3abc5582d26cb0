package fleet

import "github.com/realiops/realiops/internal/analyze/openmetrics"

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
