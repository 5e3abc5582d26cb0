package attribution

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// span are the bounds of a quantity.
type span struct{ lo, hi float64 }

// anything returns what is known of a quantity of which nothing is known.
func anything() span { return span{0, math.Inf(1)} }

// done is the clients' work in a load, as a mean over some of its repetitions, with its factors.
type done struct {
	rows, commits, seconds, indexes, width, clients float64

	known   bool // how the rows came in, or that there were none
	copied  bool
	changed bool // rows were updated or deleted, which takes the images of pages that nobody can tell the number of

	updated, returned, lookups, statements float64
	waited                                 bool // for the log, at each commit, for all that is known
	aurora                                 bool
}

// Methods of a load: rows come by COPY, or by INSERT of some sort.
const (
	byCopy   = "copy"
	byInsert = "insert"
)

// waiting returns the methods of which nothing but their settings tells whether a commit waits for the log.
func waiting() []string { return []string{byCopy, byInsert, "insert-select", "insert-values"} }

// manyClients are taken where a plan does not say how many there were.
const manyClients = 100

func (e *evidence) done(a int, use []int) done {
	load := e.loads[a]
	d := done{
		indexes: float64(load.Indexes), width: float64(load.Width), clients: manyClients,
		known: byKnownMethod(load.Load), copied: load.Method == byCopy, aurora: e.onAurora(),
	}
	commit := load.SynchronousCommit
	if commit == "" {
		commit = e.run.Header.Target.Settings["synchronous_commit"]
	}
	d.waited = commit != "off" && (slices.Contains(waiting(), load.Method) || changes(load)) && e.run.Header.Target.Settings["fsync"] != "off"
	if load.Clients > 0 {
		d.clients = float64(load.Clients)
	}
	for _, r := range use {
		n, w := float64(len(use)), load.Repetitions[r]
		d.rows += float64(w.Work.Rows) / n
		d.commits += float64(w.Work.Transactions) / n
		d.seconds += w.Seconds / n
		d.updated += float64(w.Work.Updated) / n
		d.returned += float64(w.Work.Returned) / n
		d.lookups += float64(w.Work.Lookups) / n
		d.statements += float64(w.Work.Statements) / n
	}
	d.changed = changes(load)
	if d.onlyReads() { // a commit of what wrote nothing leaves nothing in the WAL
		d.known, d.commits = true, 0
	}
	return d
}

// changes reports whether our clients updated or deleted rows in a load.
func changes(a counts.Load) bool {
	return slices.ContainsFunc(a.Repetitions, func(r counts.Repetition) bool { return r.Work.Updated > 0 || r.Work.Deleted > 0 })
}

func byKnownMethod(a runfile.Load) bool {
	return a.Method == byCopy || strings.HasPrefix(a.Method, byInsert)
}

// What rows, index entries and commits put into the log, in bytes: the least and the most of a narrow row.
const (
	leastRow, mostRow       = 30, 160
	leastCopied             = 8
	leastEntry, mostEntry   = 40, 512 // most with the image of a page that few entries share
	leastCommit, mostCommit = 34, 200
	outOfLine               = 2000 // bytes from which on PostgreSQL compresses a row or stores it out of line
	logPage                 = 8192
	segment                 = 16 << 20
)

// records of the log: one for each row, or page of a COPY, index entry and commit, and what indexes, a sequence and a vacuum
// take besides.
func (d done) records() span {
	entries := d.rows * d.indexes
	extras := 0.02*(d.rows+entries) + d.rows/32 + d.rows/50 + 10
	s := span{d.rows + entries + d.commits, d.rows + entries + d.commits + extras}
	if d.copied {
		s.lo = d.rows*(leastRow+d.width)/logPage + entries + d.commits
	}
	return s
}

func (d done) bytes() span {
	entries, least, most := d.rows*d.indexes, leastRow+d.width, mostRow+1.2*d.width
	if d.copied {
		least = leastCopied + d.width
	}
	if d.width > outOfLine {
		least = leastCopied
		most *= 1.5
	}
	return span{
		d.rows*least + entries*leastEntry + d.commits*leastCommit,
		d.rows*most + entries*mostEntry + d.commits*mostCommit + segment,
	}
}

// syncs of the log: each client waits for its own, so that so many commits as there are clients share one at most.
func (d done) syncs(bytes span) span {
	s := span{0, d.commits + bytes.hi/segment + 10*d.seconds}
	if d.waited {
		s.lo = d.commits / d.clients
	}
	if d.aurora { // a quorum of other machines keeps the log, in batches of which nothing is published
		s = span{s.lo / 10, 6*d.commits + bytes.hi/4096 + 100*d.seconds}
	}
	return s
}

func (d done) writes(bytes, syncs span) span {
	if d.aurora {
		return syncs
	}
	return span{syncs.lo / 2, d.commits + syncs.hi + bytes.hi/logPage}
}

// pages written: rows fill pages one after the other, each of which is written a few times; an index entry may make a page
// dirty by itself. Nothing forces a server to write them while the load is looked at.
func (d done) pages() span {
	return span{0, 3*d.rows*(mostRow+1.2*d.width)/logPage + 2*d.rows*d.indexes + 100*d.seconds}
}

// implied returns what the work of a load implies of a quantity that the run did not record, on any server: between these. It
// goes by the factors of the load and by what else was recorded there, and by no name.
func (e *evidence) implied(quantity string, a int, use []int) span {
	if n, off, recorded := e.recorded(quantity, a, use); recorded {
		return span{max(0, n-surely*off), n + surely*off}
	}
	d := e.done(a, use)
	of := func(quantity string) span { return e.implied(quantity, a, use) }
	if s, told := d.ofReads(quantity, of); told {
		return s
	}
	if d.changed {
		return d.ofChanges(quantity)
	}
	if !d.known {
		return anything()
	}
	switch quantity {
	case counts.WALRecords:
		return d.records()
	case counts.WALBytes:
		return d.bytes()
	case counts.WALSyncs:
		return d.syncs(of(counts.WALBytes))
	case counts.WALWrites:
		return d.writes(of(counts.WALBytes), of(counts.WALSyncs))
	case counts.PagesWritten:
		return d.pages()
	}
	if d.aurora {
		return anything()
	}
	bytes, syncs, writes := of(counts.WALBytes), of(counts.WALSyncs), of(counts.WALWrites)
	pages := of(counts.PagesWritten)
	const (
		files     = 300     // that a checkpoint syncs
		largest   = 1 << 20 // bytes of a request
		journaled = 3       // requests and flushes of a file system for one that it is asked for
	)
	flushes := span{0.3 * syncs.lo, journaled * (syncs.hi + files + 10*d.seconds)}
	written := span{bytes.lo, 2*bytes.hi + 2*logPage*(writes.hi+pages.hi) + journaled*logPage*flushes.hi}
	switch quantity {
	case counts.DeviceFlushes:
		return flushes
	case counts.DeviceBytes:
		return written
	case counts.DeviceRequests:
		return span{max(0.3*syncs.lo, written.lo/largest), 1.5*(writes.hi+pages.hi) + journaled*flushes.hi}
	default:
		return anything()
	}
}

// recorded returns the mean of what a quantity counted in a load, and the standard deviation by which the background has all of that off.
func (e *evidence) recorded(quantity string, a int, use []int) (mean, off float64, known bool) {
	c := e.columnOf(quantity)
	if c == nil {
		return 0, 0, false
	}
	n := 0.0
	for _, r := range use {
		if of := c[a][r]; of.missing == nil {
			mean, off, n = mean+of.value, off+of.shared, n+1
		}
	}
	return mean / n, off / n, n > 0
}

func (e *evidence) columnOf(quantity string) column {
	i := slices.IndexFunc(e.quantities, func(d counts.Quantity) bool { return d.Name == quantity })
	if i < 0 {
		return nil
	}
	return e.columns[i]
}

// ratios returns the ratios that a metric may keep to a quantity that was not recorded, by what each load implies of it: where
// lo is above hi, there is none. noise is what the metric's repetitions vary by, as a factor.
func (j *judge) ratios(y column, quantity string, noise float64) span {
	s, blank := span{0, math.Inf(1)}, j.blank(y)
	for a := range y {
		use := countedIn(y[a])
		if len(use) == 0 {
			continue
		}
		mean, of := meanOf(y[a], use), j.implied(quantity, a, use)
		slack := noise * math.Sqrt(j.options.Tolerance) // to either side
		s.hi = min(s.hi, mean*slack/of.lo)
		if !blank[a] {
			s.lo = max(s.lo, mean/slack/of.hi)
		}
	}
	return s
}

func (s span) empty() bool { return s.lo > s.hi || math.IsInf(s.lo, 1) }

func (s span) has(value float64) bool { return s.lo <= value && value <= s.hi }

// unread returns the quantities that the run did not record, or lost in their own background, and that a metric may count all the
// same.
func (j *judge) unread(y column, rivals []held) (open []held) {
	if j.run.Observed != nil {
		return nil // nothing is known of loads that nobody set up
	}
	within, _ := leastWithin(slices.DeleteFunc(slices.Clone(rivals), func(h held) bool { return h.Status == Unknown }))
	if math.IsInf(within, 1) {
		within = 0
	}
	noise := math.Exp(twice * math.Sqrt(within))
	written := func(h held) bool {
		return metric.Quantity(h.Quantity).OfWrites() && h.recorded() && h.bounded(mostSpread)
	}
	reads := j.showsReads(y) && !slices.ContainsFunc(rivals, written)
	for _, h := range rivals {
		if reads && h.Status == Unknown && metric.Quantity(h.Quantity).OfWrites() {
			continue
		}
		ratios := j.ratios(y, h.Quantity, noise)
		if h.lost {
			ratios.hi = min(ratios.hi, h.most*noise*j.options.Tolerance)
		}
		lost := h.Status == Unknown && !j.absentByNature(h) || h.Status == Possible && h.lost
		if lost && !ratios.empty() && !j.farFetched(y, h, rivals) {
			open = append(open, h)
		}
	}
	return open
}

// largeCount is so large a number of what others brought about that it matters.
const largeCount = 100

// mostForOne returns the most that a metric can show for one of a quantity that was counted, by the load in which that is least: what counts it counts that of
// others, too, so that nothing need be taken off either. busy: others brought about a number of them that is large while nothing was done.
func (e *evidence) mostForOne(m counts.Metric, d counts.Quantity) (least float64, busy bool) {
	least = math.Inf(1)
	for i, load := range e.run.Loads {
		shown, done := 0.0, 0.0
		for k, r := range load.Repetitions {
			n, err := d.Count(load, e.raw().run.Loads[i].Repetitions[k])
			if raw, known := m.Raw(r); known && err == nil {
				shown, done = shown+raw, done+n
			}
		}
		if done >= 1 {
			least = min(least, shown/done)
		}
		busy = busy || load.Idle() && done >= largeCount*metric.Step(d.Unit)
	}
	return least, busy
}

// outOfSight leaves the side open where a quantity of another side may be much of a metric that shows what others bring about as well: one that is lost in
// that, so that no load tells how much of the metric it is, or any where few loads show more of the metric than others do.
func (tr *trial) outOfSight(v *Verdict) {
	if tr.run.Observed != nil {
		return
	}
	for _, h := range tr.rivals {
		kind := v.Kind.Or(Kind(h.Side))
		if kind == v.Kind || v.Kind == CannotTell || v.Kind == Mixed || h.impossible || !h.recorded() || h.Status == Itself {
			continue
		}
		if !h.lost && tr.fewShow() {
			h.most, h.busy = tr.mostForOne(tr.metric, tr.quantities[h.place])
		}
		if share, much := tr.mostOf(h); h.busy && share >= much {
			*v = Verdict{Metric: v.Metric, Derived: v.Derived, Kind: kind, Why: fmt.Sprintf(
				"Up to %.0f%% of it may be %s, of which others brought about many", 100*share, many(h.Quantity))}
		}
	}
}

// fewShow reports whether fewer loads show a metric than a coincidence takes, and as many that do its work are lost in its background.
func (tr *trial) fewShow() bool {
	shown, hidden, blank, others := 0, 0, tr.blank, tr.ofOthers(tr.y)
	for a := range tr.y {
		switch {
		case !isCounted(tr.y[a]), others[a]:
		case blank[a]:
			hidden++
		default:
			shown++
		}
	}
	return shown < fewestShown && hidden >= shown
}

// mostOf returns the largest part of a metric that a quantity may be, on average over the loads that show it, and from where on that is much. Of one that is
// lost that is as much as the background hides of it.
func (tr *trial) mostOf(h held) (share, much float64) {
	blank, n := tr.blank, 0.0
	for a := range tr.y {
		if !isCounted(tr.y[a]) || blank[a] {
			continue
		}
		n++
		if count, off, known := tr.recorded(h.Quantity, a, countedIn(tr.y[a])); known {
			if h.lost {
				count = surely * off
			}
			share += min(1, h.most*count/meanOf(tr.y[a], countedIn(tr.y[a])))
		}
	}
	if much = weighty; h.lost {
		much *= 2
	}
	return share / max(1, n), much
}

// absentByNature reports whether a server has no such quantity, rather than that nobody read it. Aurora has no device and no files of its own: what it
// asks of its storage are the pages missed. Nor do images of pages go into its WAL, since its storage makes pages of it (Verbitski et al., SIGMOD 2017).
func (e *evidence) absentByNature(h held) bool {
	if h.Quantity == counts.PagesWritten {
		return h.Why != nil && strings.HasPrefix(h.Why.Detail, "Aurora")
	}
	return e.onAurora() && slices.Contains([]metric.Quantity{metric.PageImages, metric.ReadCalls, metric.BytesAsked, metric.DeviceReads, metric.DeviceReadSize}, metric.Quantity(h.Quantity))
}
