package drivers

import "slices"

// statWrites is the count of pages written that 16 and later have: by all processes, growth of files apart.
const statWrites = "pgstat.io/writes"

// byWriter are the counts that 13 to 16 have of each kind of process that writes pages. Those of sessions have the growth
// of files in them, which these versions write as pages of zeros.
func byWriter() []string {
	return []string{"pgstat.checkpointer/buffers_written", "pgstat.bgwriter/buffers_clean", "pgstat.bgwriter/buffers_backend"}
}

// pagesWritten is the one count of them, or else the sum of those by kind of process.
func pagesWritten(_ Arm, r Replicate) (float64, error) {
	pages, err := r.Count(statWrites)
	if err == nil {
		return pages, nil
	}
	sum := 0.0
	for _, metric := range byWriter() {
		pages, missing := r.Count(metric)
		if missing != nil {
			return 0, err
		}
		sum += pages
	}
	return sum, nil
}

// Drivers are all drivers, each with the metrics that it is computed from in this run.
func (r *Run) Drivers() []Driver {
	all := All()
	if r.Header.Observed {
		observedDrivers(all)
	}
	if records, other := r.otherRecords(); other {
		all[slices.IndexFunc(all, func(d Driver) bool { return d.Name == WALRecords })] = records
	}
	if r.counts(statWrites) || !slices.ContainsFunc(byWriter(), r.counts) {
		return all
	}
	i := slices.IndexFunc(all, func(d Driver) bool { return d.Name == PagesWritten })
	all[i].From, all[i].made = byWriter(), true
	return all
}

// counts tells whether any replicate has a count of a metric.
func (r *Run) counts(metric string) bool {
	return slices.ContainsFunc(r.Arms, func(a Arm) bool {
		return slices.ContainsFunc(a.Replicates, func(r Replicate) bool {
			_, err := r.Count(metric)
			return err == nil
		})
	})
}
