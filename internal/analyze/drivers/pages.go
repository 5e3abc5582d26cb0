package drivers

import (
	"slices"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

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
	i := slices.IndexFunc(all, func(d Driver) bool { return d.Name == PagesWritten })
	if r.Header.Target.Flavor == "aurora" {
		all[i].From, all[i].count = nil, noPages
		return all
	}
	if r.counts(statWrites) || !slices.ContainsFunc(byWriter(), r.counts) {
		return all
	}
	all[i].From, all[i].made = byWriter(), true
	return all
}

// noPages: "In Aurora, the only writes that cross the network are redo log records. No pages are ever written from the
// database tier" (Verbitski et al., SIGMOD 2017, section 3.2). What its counters of pages show is no work of its storage.
func noPages(Arm, Replicate) (float64, error) {
	return 0, &series.Missing{Reason: series.Reason(runfile.Unsupported), Detail: "Aurora writes no pages to its storage, only its log"}
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
