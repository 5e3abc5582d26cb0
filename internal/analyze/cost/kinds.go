package cost

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Names for budgets.
const (
	OwnRecords     = "own_wal_records"
	OwnBytes       = "own_wal_bytes"
	WaitingCommits = "waiting_commits"
	OwnFsyncs      = "own_wal_fsyncs"
	Fsyncs         = "wal_fsyncs"
)

// quantities maps quantities to their names in budgets; those that need our own loads have none.
var quantities = map[metric.Quantity]string{
	metric.WALRecords: "wal_records", metric.WALBytes: "wal_bytes", metric.WALWrites: "wal_writes", metric.WALSyncs: Fsyncs,
	metric.PagesWritten: "pages_written", metric.DeviceRequests: "device_requests", metric.DeviceFlushes: "device_flushes",
	metric.DeviceBytes: "device_bytes",
}

// databaseKinds returns the counts of the database and its WAL, in the order of the report.
func databaseKinds(waiting counting) []kind {
	return []kind{
		{name: "rows", unit: "rows", help: "rows inserted, updated and deleted in the database",
			of: databaseRows},
		{name: "commits", unit: "commits", help: "transactions that wrote, by their records in the WAL",
			of: sumParts(records, commit)},
		{name: WaitingCommits, unit: "commits",
			help: "commits, and preparations of two-phase commits, that waited for an fsync of the WAL", of: waiting,
			mayLack: true},
		{name: "sessions", unit: "sessions", help: "sessions that connected to the database", of: sessions},
		{name: OwnRecords, unit: "records", help: "WAL records of the rows, their index entries, commits and rollbacks",
			of: sumParts(records, append([]string{split}, own...)...)},
		{name: OwnBytes, unit: "bytes", help: "bytes of these records, without images of whole pages", of: ownBytes},
		{name: "page_image_bytes", unit: "bytes", help: "images of whole pages in the WAL: of the first change of " +
			"each since a checkpoint, and of built indexes", of: imageBytes},
		{name: "upkeep_wal_records", unit: "records",
			help: "WAL records of page splits, pruning, sequences, files and the server's own",
			of:   sumParts(records, upkeep...)},
		{name: "upkeep_wal_bytes", unit: "bytes", help: "bytes of these records, without images",
			of: sumParts(withoutImages, append([]string{split}, upkeep...)...)},
	}
}

// Names lists the names that a budget may have.
func Names() (all []string) {
	for _, k := range append(databaseKinds(nil), ownFsyncs) {
		all = append(all, k.name)
	}
	for _, q := range counts.OfInserts() {
		if name := quantities[q.Name]; name != "" {
			all = append(all, name)
		}
	}
	return all
}

// kinds returns all counts, from requests to the database down to its device.
func kinds(run *counts.Run) []kind {
	flushes := flushingOf(run)
	all := append(databaseKinds(flushes.waiting), ownFsyncs)
	for _, q := range run.Quantities() {
		k := kind{name: quantities[q.Name], unit: q.Unit, help: q.Help, of: lessBackground(q.Count)}
		switch {
		case k.name == "":
			continue
		case isDevice(q) && run.OfServer:
			whole, _ := counts.Named(q.Name)
			k.everybody = whole.Count
		case isDevice(q) && !run.Header.Target.Storage.Own:
			k.of = shared
		}
		switch q.Name { // a commit that waits needs an fsync, which needs a request, a flush and a page
		case metric.WALSyncs:
			k.needed, k.own, k.rest = flushes.needed(1), flushes.own("fsyncs"), notOwn
		case metric.WALWrites:
			k.needed, k.own, k.rest = flushes.needed(1), flushes.own("writes"), notOwn
		case metric.DeviceRequests, metric.DeviceFlushes:
			k.needed = flushes.needed(1)
		case metric.DeviceBytes:
			k.needed = flushes.needed(pageOfWAL)
		}
		all = append(all, k)
	}
	return all
}

func isDevice(q counts.Quantity) bool {
	return q.Name == metric.DeviceRequests || q.Name == metric.DeviceFlushes || q.Name == metric.DeviceBytes
}

// shared returns why a short operation has no count on a disk that others may write to.
func shared(counts.Load, counts.Repetition) (counted, background float64, err error) {
	return 0, 0, &series.Missing{Reason: counts.NotRecorded,
		Detail: "other programs may write to the disk, and their requests " +
			"were not told from the server's: see realiops doctor; --own-device gives a server that realiops " +
			"starts a disk of its own"}
}

// sessions includes sessions of others that cannot be told from the operation's.
func sessions(_ counts.Load, r counts.Repetition) (n, background float64, err error) {
	n, known := connected(r)
	if !known {
		err = &series.Missing{Reason: counts.NotRecorded,
			Detail: "sessions are counted from PostgreSQL 14 on, and not over a reset of its statistics"}
	}
	return n, 0, err
}

// databaseRows counts rows, unless PostgreSQL counted none and the WAL has records of some.
func databaseRows(a counts.Load, r counts.Repetition) (counted, background float64, err error) {
	counted, background, err = lessBackground(rows)(a, r)
	written := []string{"heap_insert", "heap_multi_insert", "heap_update", "heap_delete"}
	logged, _, unread := sumParts(records, written...)(a, r)
	logged -= inSharedCatalogs(r.WAL, written)
	if err == nil && unread == nil && counted == 0 && math.Round(logged) > 0 {
		err = &series.Missing{Reason: counts.NotRecorded, Detail: fmt.Sprintf("PostgreSQL counted 0 rows, but the WAL has "+
			"records of at least %s: track_counts is off in the session, or they are in a shared catalog, in another "+
			"database, or not reported yet", amount(logged))}
	}
	return counted, background, err
}

// inSharedCatalogs returns the number of some kinds of record in shared catalogs; 0 if unknown. Roles, for example, are
// rows of no database.
func inSharedCatalogs(w *runfile.WAL, kinds []string) (sum float64) {
	if w == nil {
		return 0
	}
	for _, item := range w.Items {
		if item.Shared {
			for _, kind := range kinds {
				sum += float64(item.Parts[kind].Records)
			}
		}
	}
	return sum
}

// rows returns the rows of the whole database: our own sessions write none.
func rows(_ counts.Load, r counts.Repetition) (sum float64, err error) {
	for _, column := range []string{"tup_inserted", "tup_updated", "tup_deleted"} {
		amount, err := r.Count("pgstat.database/" + column)
		if err != nil {
			return 0, err
		}
		sum += amount
	}
	return sum, nil
}

// lessBackground returns the count as read, and the server's own part: the least in any idle time. Work that it did in
// only one, such as a checkpoint's fsync, may not occur in a repetition.
func lessBackground(of func(counts.Load, counts.Repetition) (float64, error)) counting {
	return func(a counts.Load, r counts.Repetition) (counted, background float64, err error) {
		counted, err = of(a, r.AsRead())
		if err != nil {
			return 0, 0, err
		}
		background = math.Inf(1)
		for _, without := range append(slices.Clip(r.Variants), r) {
			less, err := of(a, without)
			if err != nil {
				return 0, 0, err
			}
			background = min(background, counted-less)
		}
		return counted, background, nil
	}
}

// The parts of the WAL's anatomy (internal/measure/probe/anatomy) that rows, index entries and ends of transactions
// need. A page split replaces the record of an entry; its bytes are half a page, and so upkeep.
const (
	commit  = "commit"
	prepare = "prepare"
	split   = "btree_split"
)

var (
	own = []string{"heap_insert", "heap_multi_insert", "heap_update", "heap_delete", "heap_other", "btree_insert_leaf",
		"index_other", commit, prepare, "abort", "message"}
	upkeep = []string{"heap_prune", "btree_insert_upper", "btree_dedup", "btree_other", "sequence", "checkpoint",
		"page_image", "other"}
)

func records(p counts.Part) float64       { return p.Records }
func withoutImages(p counts.Part) float64 { return p.Bytes - p.Images }
func images(p counts.Part) float64        { return p.Images }

// ownBytes returns the bytes of the operation's own parts. Each page split counts as an entry of average size.
func ownBytes(a counts.Load, r counts.Repetition) (counted, background float64, err error) {
	counted, background, err = sumParts(withoutImages, own...)(a, r)
	if err != nil || r.Log == nil {
		return counted, background, err
	}
	return counted + entriesOfSplits(*r.Log), background, nil
}

// imageBytes returns the bytes of page images in the WAL that was read, or in PostgreSQL's own count, which exists from
// 19 on.
func imageBytes(a counts.Load, r counts.Repetition) (counted, background float64, err error) {
	if counted, background, err = sumParts(images)(a, r); err == nil {
		return counted, background, nil
	}
	if c, counts19 := r.Counts[metric.StatWALFPIBytes]; !counts19 || c.Missing != nil {
		return 0, 0, err
	}
	return lessBackground(func(_ counts.Load, r counts.Repetition) (float64, error) {
		return r.Counts[metric.StatWALFPIBytes].Amount, nil
	})(a, r)
}

// entriesOfSplits returns the bytes of the entries that split a page.
func entriesOfSplits(log counts.Anatomy) float64 {
	var splits, entries counts.Part
	for _, p := range log.Parts {
		switch p.Name {
		case split:
			splits = p
		case "btree_insert_leaf":
			entries = p
		}
	}
	if entries.Records == 0 {
		return 0
	}
	return math.Round(splits.Records * withoutImages(entries) / entries.Records)
}

// sumParts adds up parts of the WAL, those named or all. It counts only if every record was read: an estimate would pass
// or fail a budget by chance.
func sumParts(of func(counts.Part) float64, parts ...string) counting {
	return func(_ counts.Load, r counts.Repetition) (sum, background float64, err error) {
		switch log := r.Log; {
		case log == nil:
			return 0, 0, &series.Missing{Reason: counts.NotRecorded, Detail: "this run did not read the WAL"}
		case log.Missing != nil && log.Missing.Reason == series.NeverRead && quiet(r):
			return 0, 0, nil
		case log.Missing != nil:
			return 0, 0, log.Missing
		case olderThan(r):
			return 0, 0, &series.Missing{Reason: series.Reason(runfile.Late),
				Detail: "what was read of the WAL began before the repetition did"}
		case !log.Exact():
			return 0, 0, &series.Missing{Reason: series.Reason(runfile.Late),
				Detail: fmt.Sprintf("only %.0f%% of its WAL could be read", 100*log.Coverage)}
		default:
			for _, p := range log.Parts {
				if len(parts) == 0 || slices.Contains(parts, p.Name) {
					sum += of(p)
				}
			}
			return math.Round(sum), 0, nil
		}
	}
}

// olderThan reports whether more WAL was read than was written in the repetition: others wrote it earlier, and it was
// flushed or became readable only then.
func olderThan(r counts.Repetition) bool {
	var read float64
	for _, p := range r.Log.Parts {
		if slices.Contains(own, p.Name) {
			read += p.Bytes
		}
	}
	moved, known := grew(r, metric.InsertPosition)
	return known && read > moved
}

// quiet reports whether no WAL was written, so that there was nothing to read.
func quiet(r counts.Repetition) bool {
	moved, known := r.Counts[metric.InsertPosition]
	return known && moved.Missing == nil && moved.Raw == 0
}

// kind is one count of each repetition.
type kind struct {
	name, unit, help string
	// of returns the count, and the server's own part in the time.
	of counting
	// everybody returns the device's count for all programs; nil: of already does.
	everybody func(counts.Load, counts.Repetition) (float64, error)
	// needed returns the least count that the operation needs, if known; subtracting the background goes no lower. Nil:
	// 0.
	needed func(counts.Load, counts.Repetition) float64
	// own returns the part that is certainly the operation's own, and rest says who else may have done more; nil: all
	// is its own.
	own  func(counts.Load, counts.Repetition) float64
	rest string
	// mayLack: it may be unknown in a repetition that was read completely.
	mayLack bool
}

// less subtracts the server's own part.
func (k kind) less(counted, background float64, load counts.Load, r counts.Repetition) float64 {
	return max(min(counted, k.least(load, r)), counted-math.Round(background))
}

func (k kind) least(load counts.Load, r counts.Repetition) float64 {
	if k.needed == nil {
		return 0
	}
	return k.needed(load, r)
}

// notGoingOn says who caused what an operation did not need, if the server's own part is not subtracted.
const notGoingOn = "the rest may be what the server does by itself, which it did more of before"

// withCertainBackground leaves a kind as it is, or subtracts nothing and reports true if the server's own work did not
// go on: together with the operation it did less in the median repetition than before, when it was idle.
func (k kind) withCertainBackground(load counts.Load) (certain kind, ended bool) {
	var room []float64
	for _, r := range load.Repetitions {
		counted, background, err := k.of(load, r)
		if err != nil {
			return k, false
		}
		room = append(room, counted-min(counted, k.least(load, r))-math.Round(background))
	}
	if len(room) == 0 || stats.Median(room) >= 0 {
		return k, false
	}
	of := k.of
	k.of = func(load counts.Load, r counts.Repetition) (counted, background float64, err error) {
		counted, _, err = of(load, r)
		return counted, 0, err
	}
	if k.own == nil {
		k.own, k.rest = k.least, notGoingOn
	}
	return k, true
}

// missingCount returns a count without values.
func missingCount(k kind) Count {
	return Count{Name: k.name, Unit: k.unit, Help: k.help, Median: math.NaN(), Low: math.NaN(), High: math.NaN()}
}

func (k kind) count(load counts.Load) Count {
	c := missingCount(k)
	k, c.Ended = k.withCertainBackground(load)
	for _, r := range load.Repetitions {
		counted, background, err := k.of(load, r)
		if err != nil {
			c.Missing, c.Runs, c.Own, c.Rest, c.Background = reason(err), nil, nil, "", 0
			return c
		}
		c.Background = max(c.Background, background)
		is := k.less(counted, background, load, r)
		c.Runs = append(c.Runs, is)
		if own, rest := k.surely(r); own != nil {
			c.Own, c.Rest = append(c.Own, min(is, own(load, r))), rest
		}
	}
	c.Low, c.Median, c.High = slices.Min(c.Runs), stats.Median(c.Runs), slices.Max(c.Runs)
	c.Everybody = k.forEverybody(load)
	return c
}

func (k kind) forEverybody(load counts.Load) *float64 {
	if k.everybody == nil {
		return nil
	}
	var did []float64
	for _, r := range load.Repetitions {
		all, err := k.everybody(load, r.AsRead())
		if err != nil {
			return nil
		}
		did = append(did, all)
	}
	return new(stats.Median(did))
}

// counting returns a count of a repetition, and the server's own part of it.
type counting = func(counts.Load, counts.Repetition) (counted, background float64, err error)

func connected(r counts.Repetition) (float64, bool) {
	if r.Sessions == nil {
		return 0, false
	}
	return float64(*r.Sessions), true
}

func grew(r counts.Repetition, metric string) (by float64, known bool) {
	c, there := r.Counts[metric]
	return c.Raw, there && c.Missing == nil
}

func reason(err error) string {
	switch missing, ok := errors.AsType[*series.Missing](err); {
	case ok && missing.Reason == series.Reset:
		return "its statistics were reset meanwhile" // a reset shows as a lower value, or in its view
	case ok:
		return cmp.Or(missing.Detail, err.Error())
	default:
		return err.Error()
	}
}
