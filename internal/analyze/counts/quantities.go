package counts

import (
	"slices"
	"sync"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// All returns the quantities, from requests to the database down to the work of its device.
func All() []Quantity { return slices.Clone(quantities()) }

// OfObservations returns the quantities as counters show them without our clients.
func OfObservations() []Quantity {
	all := OfInserts()
	observedQuantities(all, tallyOf(func(string) bool { return true }))
	return all
}

// OfInserts returns the quantities that loads which only insert rows can separate.
func OfInserts() []Quantity {
	return slices.DeleteFunc(All(), func(d Quantity) bool { return !d.Name.OfInserts() })
}

// quantities is made once: a report asks for one of them for each metric and load.
var quantities = sync.OnceValue(func() (all []Quantity) {
	for _, q := range metric.Quantities() {
		d := Quantity{Name: q, Side: Side(q.Side()), Unit: q.Unit(), Help: q.Help()}
		switch q {
		case metric.RowsWritten:
			d.count = ofWork(metric.RowsWritten, func(w Work) int64 { return w.Rows })
		case metric.Entries:
			d.count = entries
		case metric.Statements:
			d.count = ofWork(metric.Statements, func(w Work) int64 { return w.Statements })
		case metric.Commits:
			d.count = ofWork(metric.Commits, func(w Work) int64 { return w.Transactions })
		case metric.RowsReturned:
			d.count = ofWork(metric.RowsReturned, func(w Work) int64 { return w.Returned + w.Counted })
		case metric.Lookups:
			d.count = ofWork(metric.Lookups, func(w Work) int64 { return w.Lookups })
		case metric.RowsUpdated:
			d.count = ofWork(metric.RowsUpdated, func(w Work) int64 { return w.Updated })
		case metric.RowsDeleted:
			d.count = ofWork(metric.RowsDeleted, func(w Work) int64 { return w.Deleted })
		case metric.BuffersTouched:
			d = d.addedOf(metric.All().Adding(q))
		default:
			d = d.madeOf(metric.All().Making(q))
		}
		all = append(all, d)
	}
	return all
})

// Named returns the quantity with the given name.
func Named(name metric.Quantity) (Quantity, bool) {
	for _, d := range quantities() {
		if d.Name == name {
			return d, true
		}
	}
	return Quantity{}, false
}

func ofWork(quantity metric.Quantity, value func(Work) int64) func(Load, Repetition) (float64, error) {
	return func(a Load, r Repetition) (float64, error) {
		if a.Method == runfile.Observed {
			return r.seenWork(quantity)
		}
		return float64(value(r.Work)), nil
	}
}

// entries returns the index entries of every row version written. A row updated within its page adds none, and a
// deleted row leaves its entries in place.
func entries(a Load, r Repetition) (float64, error) {
	if a.Method == runfile.Observed {
		return r.seenEntries()
	}
	if a.Method == Unplanned {
		return 0, &series.Missing{Reason: NotRecorded, Detail: "how many indexes " + a.Name + " has is not in the plan"}
	}
	rows, indexed := float64(r.Work.Rows), float64(r.Work.Rows-r.Work.Deleted)
	if r.Work.Updated > 0 {
		within, err := r.Count(metric.TablesNTupHOTUpd)
		if err != nil {
			return 0, err
		}
		indexed -= within
	}
	return rows + indexed*float64(max(0, a.Indexes)), nil
}

// Quantities returns all quantities that the loads of this run can separate, with the metrics that they are computed
// from in this run.
func (r *Run) Quantities() []Quantity {
	all := OfInserts()
	if r.doesMore() {
		all = slices.DeleteFunc(r.inThisVersion(All()), func(d Quantity) bool {
			return d.Name == metric.PageImageBytes && !slices.ContainsFunc(d.From, r.counts)
		})
	}
	if r.Header.Observed || slices.ContainsFunc(r.Loads, func(a Load) bool { return a.Method == runfile.Observed }) {
		observedQuantities(all, tallyOf(r.counts))
	}
	if records, other := r.otherRecords(); other {
		all[slices.IndexFunc(all, func(d Quantity) bool { return d.Name == metric.WALRecords })] = records
	}
	for i, d := range all {
		if r.OfServer {
			d = d.forServer()
			all[i] = d
		}
		switch {
		case d.Name == metric.WALBytes:
			all[i] = r.carriedBytes(d)
		case d.Name != metric.PagesWritten:
		case r.Header.Target.Flavor == "aurora":
			all[i].From, all[i].count = nil, noPages
		case !slices.ContainsFunc(names(metric.All().Making(metric.PagesWritten)), r.counts):
			if adding := metric.All().Adding(metric.PagesWritten); slices.ContainsFunc(names(adding), r.counts) {
				all[i] = d.addedOf(adding).withoutGrowth()
			}
		}
	}
	return all
}

func (r *Run) doesMore() bool {
	return slices.ContainsFunc(r.Loads, func(a Load) bool {
		return a.Method != runfile.Observed && slices.ContainsFunc(a.Repetitions, func(r Repetition) bool {
			return r.Work.Returned > 0 || r.Work.Updated > 0 || r.Work.Deleted > 0
		})
	})
}

// inThisVersion removes from each quantity the metrics that count it only in other versions.
func (r *Run) inThisVersion(all []Quantity) []Quantity {
	for i, d := range all {
		making := metric.All().Making(d.Name)
		here := slices.DeleteFunc(slices.Clone(making), func(m metric.Metric) bool {
			return !m.MakesIn.HasVersion(r.Header.Target.Version)
		})
		if len(here) < len(making) {
			all[i] = d.madeOf(here)
		}
	}
	return all
}

// withoutGrowth subtracts the growth of files from the pages written: up to version 15, sessions count a new page as
// written when they make it, and it is written again when it is full. A new page is also a block read, so blocks read
// show the growth under loads that only add rows. If others read too, as in an observation, the two cannot be told
// apart.
func (d Quantity) withoutGrowth() Quantity {
	written := d.count
	d.count = func(a Load, r Repetition) (float64, error) {
		pages, err := written(a, r)
		if err != nil || a.Method == runfile.Observed {
			return pages, err
		}
		grown, notRead := r.Count(metric.BlocksRead)
		sessions, notWritten := r.Count(metric.SessionsWrote)
		if notRead != nil || notWritten != nil {
			return pages, nil
		}
		return pages - max(0, min(grown, sessions)), nil
	}
	return d
}

// Quantity returns the quantity with the given name, with the metrics that it is computed from in this run.
func (r *Run) Quantity(name metric.Quantity) Quantity {
	all := r.Quantities()
	return all[slices.IndexFunc(all, func(d Quantity) bool { return d.Name == name })]
}

// noPages returns why there are no pages written: "In Aurora, the only writes that cross the network are redo log
// records. No pages are ever written from the database tier" (Verbitski et al., SIGMOD 2017, section 3.2). Aurora's
// counters of pages show no work of its storage.
func noPages(Load, Repetition) (float64, error) {
	return 0, &series.Missing{Reason: series.Reason(runfile.Unsupported),
		Detail: "Aurora writes no pages to its storage, only its WAL"}
}

// carriedBytes returns the quantity of WAL bytes, taken from WriteThroughput on Aurora if the position in the WAL was
// not read: only the WAL crosses to its storage.
func (r *Run) carriedBytes(d Quantity) Quantity {
	if r.Header.Target.Flavor != "aurora" || r.counts(metric.InsertPosition) ||
		!r.counts(metric.CloudWatchWriteThroughput) {
		return d
	}
	d.Help, d.From, d.how = "bytes of the WAL, as WriteThroughput shows them: Aurora writes nothing else to its "+
		"storage", []string{metric.CloudWatchWriteThroughput}, alternatives
	d.count = firstOf(metric.CloudWatchWriteThroughput)
	return d
}
