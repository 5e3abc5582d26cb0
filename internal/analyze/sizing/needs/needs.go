// Package needs computes what the loads of a run needed from storage: requests and bytes per second, by the device's
// own counters, or by a model if these include others.
package needs

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

// Need is the demand of one load of a run on storage, with everything that it caused, including the pages of the
// checkpoint that closes it.
type Need struct {
	Load        string
	Repetitions int
	Unread      int  // repetitions, not among these, in which the device was not read
	Mean        Rate // per second of the load, without the background
	Lowest      Rate // of the repetitions, each number
	Highest     Rate
	// in order, over all repetitions, background included; periods of a source with periods; none: not read
	Seconds []Rate
	Peaks   *Peaks // nil if there are no Seconds

	// Model is the reason why the rates follow from the WAL and the pages: the device could not be read, or did more
	// than this server can have requested. Lowest and Highest then include the error of the model.
	Model *series.Missing // nil: the rates are the device's

	ForServer bool // the rates are of requests for the server's files

	// Unchecked is the reason why the device's work could not be held against this server's; nil: it was, or the device
	// is its own.
	Unchecked *series.Missing

	Rows, Commits, WALRecords, WALWrites, WALBytes *float64 // per second; nil: unknown
	// PagesAsked are the pages per second that were not in shared_buffers, wherever they were read from; nil if
	// unknown.
	PagesAsked *float64
	// Missing says why the need is unknown; nil if it is known.
	Missing *series.Missing
}

// Peaks are single seconds of a load, background included, for each number: the worst second for requests need not be
// the worst for bytes. They include the closing checkpoint, but spread over its own seconds. So all may be below the
// need's mean, which counts only the seconds of the load.
type Peaks struct {
	Length                     time.Duration // a second, or the period of a source
	Seconds                    int           // number, over all repetitions
	Mean, P95, P99, PeakSecond Rate
	PeakMinute                 *Rate // nil: no load lasted a minute
}

// Of returns the needs of all loads but idle ones, in the order of the run.
func Of(run *counts.Run) (all []Need) {
	for _, load := range run.Loads {
		if !load.Idle() && len(load.Repetitions) > 0 {
			all = append(all, need(run, load))
		}
	}
	return all
}

func need(run *counts.Run, load counts.Load) Need {
	if run.Observed != nil && run.Observed.Period > 0 {
		return needOfPeriods(run, load)
	}
	n, counted := ownNeed(run, load), ownRequests()
	if n == nil {
		counted = wholeDevice(run)
		var read counts.Load
		n, read = counted.readIn(load)
		why := n.measure(read, counted)
		if why == nil && load.Job == "" {
			why = n.crossCheck(run, read)
		}
		if why != nil {
			n.model(run, load, why)
		} else {
			load = read
		}
	}
	if n.Missing == nil && n.Model == nil {
		n.readSeconds(run, load, counted)
	}
	if load.Job != "" {
		return *n // there is no database
	}
	n.Rows, n.Commits = logical(load, metric.RowsWritten), logical(load, metric.Commits)
	n.WALRecords, n.WALBytes = logical(load, metric.WALRecords), logical(load, metric.WALBytes)
	n.WALWrites, n.PagesAsked = logical(load, metric.WALWrites), pagesAsked(run, load)
	return *n
}

func (n *Need) measure(load counts.Load, counted device) *series.Missing {
	for i, repetition := range load.Repetitions {
		rate, missing := counted.rateIn(load, repetition)
		if missing != nil {
			return missing
		}
		n.add(rate, i == 0)
	}
	n.Mean = n.Mean.Times(1 / float64(n.Repetitions))
	return nil
}

// model takes the need from the server's own counters, and records why. If these do not suffice either, or the load
// only reads from a disk that was not read, the need is missing.
func (n *Need) model(run *counts.Run, load counts.Load, why *series.Missing) {
	measured := *n
	*n = Need{Load: load.Name, Repetitions: len(load.Repetitions), Model: why}
	writes := func(r counts.Repetition) bool { return !readsAlone(r) }
	unread := why.Reason != Others && !slices.ContainsFunc(load.Repetitions, writes)
	if unknown := n.estimate(run, load); unknown != nil || unread {
		n.Missing = why
		return
	}
	if why.Reason == Others {
		n.within(measured, askedOf(run, load))
	}
}

// estimate sets the need from the model, and widens it.
func (n *Need) estimate(run *counts.Run, load counts.Load) *series.Missing {
	for i, repetition := range load.Repetitions {
		rate, missing := modelled(run, load, repetition)
		if missing != nil {
			return missing
		}
		n.add(rate, i == 0)
	}
	n.Mean = n.Mean.Times(1 / float64(n.Repetitions))
	lowest, highest := n.Lowest, n.Highest
	n.Lowest, n.Highest = lowest.Times(1.0/modelOff), highest.Times(modelOff)
	n.Lowest.WriteBytes, n.Highest.WriteBytes = lowest.WriteBytes/ModelBytesOff, highest.WriteBytes*ModelBytesOff
	return nil
}

func (n *Need) add(rate Rate, first bool) {
	mean, lowest, highest := n.Mean.fields(), n.Lowest.fields(), n.Highest.fields()
	for i, v := range rate.fields() {
		*mean[i] += *v
		if first || *v < *lowest[i] {
			*lowest[i] = *v
		}
		if first || *v > *highest[i] {
			*highest[i] = *v
		}
	}
}

// background is why the need of a small load on a shared device is unknown.
func background() *series.Missing {
	return &series.Missing{Reason: Background,
		Detail: "what the device did cannot be told from what it does without this load"}
}

// Background is the reason for a need that is lost in what others do.
const Background series.Reason = "background"

// reason returns why a count is missing; nil if it is not.
func reason(err error) *series.Missing {
	why, _ := errors.AsType[*series.Missing](err)
	return why
}

// logical returns a quantity per second, on average over the repetitions.
func logical(load counts.Load, name metric.Quantity) *float64 {
	quantity, _ := counts.Named(name)
	sum := 0.0
	for _, r := range load.Repetitions {
		count, err := quantity.Count(load, r)
		if err != nil {
			return nil
		}
		sum += count / r.Seconds
	}
	return new(max(0, sum/float64(len(load.Repetitions)))) // not below zero
}

// growthIsRead are the versions in which a new block counts as one that was not in shared_buffers.
var growthIsRead = metric.Span{First: 1, Last: 15}

// pagesAsked returns nil for a load that adds rows in a version that counts new blocks as misses.
func pagesAsked(run *counts.Run, load counts.Load) *float64 {
	adds := func(r counts.Repetition) bool { return r.Work.Rows > r.Work.Updated+r.Work.Deleted }
	if growthIsRead.HasVersion(run.Header.Target.Version) && slices.ContainsFunc(load.Repetitions, adds) {
		return nil
	}
	return logical(load, metric.PagesMissed)
}

// The shares of a stretch that a rate may cover. Windows may be longer: a scrape may come late.
const (
	leastOfStretch = 0.9
	mostOfSecond   = 1.1
	mostOfWindow   = 1.5
)

// readSeconds collects every second of every repetition that was read. For an observation, which may last days, the
// analysis keeps one reading per window, so it collects windows. Between the windows of a load lie those of others.
func (n *Need) readSeconds(run *counts.Run, load counts.Load, counted device) {
	if o := run.Observed; o != nil {
		for _, repetition := range load.Repetitions {
			for _, window := range repetition.Windows {
				if rate, missing := counted.rateOf(load, window, true); missing == nil {
					n.Seconds = append(n.Seconds, rate)
				}
			}
		}
		n.summarize(o.Window, nil)
		return
	}
	const minute = 60
	var minutes []Rate // means over 60 consecutive seconds
	for _, repetition := range load.Repetitions {
		own := counted.stretches(run, repetition.Begin, repetition.End, time.Second)
		n.Seconds = append(n.Seconds, own...)
		for i := range len(own) - minute + 1 {
			minutes = append(minutes, meanOf(own[i:i+minute]))
		}
	}
	var worst *Rate // maximum of each number
	if len(minutes) > 0 {
		worst = new(Quantile(minutes, 1))
	}
	n.summarize(time.Second, worst)
}

// summarize computes the peaks of the seconds.
func (n *Need) summarize(length time.Duration, minute *Rate) {
	if len(n.Seconds) == 0 {
		return
	}
	n.Peaks = &Peaks{
		Length: length, Seconds: len(n.Seconds), PeakMinute: minute, Mean: meanOf(n.Seconds),
		P95: Quantile(n.Seconds, 0.95), P99: Quantile(n.Seconds, 0.99), PeakSecond: Quantile(n.Seconds, 1),
	}
}

// stretches returns the rates between readings at most a stretch apart; more frequent readings are merged. It returns
// none if a metric of writes misses some.
func (d device) stretches(run *counts.Run, begin, end time.Time, length time.Duration) []Rate {
	all := make([]Rate, len(ratesOf(run.Series(d.writes), begin, end, length)))
	for _, m := range d.metrics {
		rates := ratesOf(run.Series(m.name), begin, end, length)
		if len(rates) != len(all) {
			if mayMiss(m.name) {
				continue
			}
			return nil
		}
		for i, rate := range rates {
			*m.field(&all[i]) = rate
		}
	}
	for i := range all {
		all[i] = d.withoutFlushes(all[i])
	}
	return all
}

// ratesOf returns a counter's rates over stretches of a length.
func ratesOf(s series.Series, begin, end time.Time, length time.Duration) (rates []float64) {
	most := mostOfWindow
	if length == time.Second {
		most = mostOfSecond
	}
	var amount, took float64
	for change, err := range s.Changes(begin, end) {
		if err != nil || float64(change.To.Sub(change.From)) > most*float64(length) {
			amount, took = 0, 0
			continue
		}
		amount, took = amount+change.Amount, took+change.Seconds()
		if took >= leastOfStretch*length.Seconds() {
			rates = append(rates, amount/took)
			amount, took = 0, 0
		}
	}
	return rates
}

// Quantile returns, for each number, the least value that the given share of the rates does not exceed.
func Quantile(rates []Rate, share float64) (q Rate) {
	for i, field := range q.fields() {
		values := make([]float64, len(rates))
		for j := range rates {
			values[j] = *rates[j].fields()[i]
		}
		slices.Sort(values)
		*field = values[max(0, int(math.Ceil(share*float64(len(values))))-1)]
	}
	return q
}

func meanOf(rates []Rate) Rate {
	var sum Rate
	for _, r := range rates {
		for i, f := range sum.fields() {
			*f += *r.fields()[i]
		}
	}
	return sum.Times(1 / float64(len(rates)))
}

// fewPages are requested per second without a load that reads.
const fewPages = 100

// FromMemory returns the pages requested per second, and the share of them that no device read; 0 if there were few, or
// unknown.
func (n Need) FromMemory() (asked, share float64) {
	const unnoticed = 0.05
	if n.PagesAsked == nil || *n.PagesAsked < fewPages {
		return 0, 0
	}
	if share = 1 - n.Mean.ReadBytes/(*n.PagesAsked*blockSize); share < unnoticed {
		return 0, 0
	}
	return *n.PagesAsked, share
}

// Rate is the storage traffic per second.
type Rate struct {
	Reads  float64 `json:"reads"`  // requests
	Writes float64 `json:"writes"` // requests with data
	// NaN: unknown, counted among the writes, or not given
	Flushes    float64 `json:"flushes"`
	ReadBytes  float64 `json:"read_bytes"`
	WriteBytes float64 `json:"write_bytes"`
}

// MarshalJSONTo writes the rate with its sums.
func (r Rate) MarshalJSONTo(out *jsontext.Encoder) error {
	return json.MarshalEncode(out, struct {
		Requests   float64 `json:"requests"` // with data
		Reads      float64 `json:"reads"`
		Writes     float64 `json:"writes"`
		Flushes    float64 `json:"flushes"`
		Bytes      float64 `json:"bytes"`
		ReadBytes  float64 `json:"read_bytes"`
		WriteBytes float64 `json:"write_bytes"`
	}{r.Requests(), r.Reads, r.Writes, r.Flushes, r.Bytes(), r.ReadBytes, r.WriteBytes})
}

// fields returns a rate's numbers, to treat them alike.
func (r *Rate) fields() []*float64 {
	return []*float64{&r.Reads, &r.Writes, &r.Flushes, &r.ReadBytes, &r.WriteBytes}
}

// Raise takes the maximum of each number.
func (r *Rate) Raise(other Rate) {
	for i, v := range other.fields() {
		*r.fields()[i] = max(*r.fields()[i], *v)
	}
}

// Requests returns the requests with data, in both directions.
func (r Rate) Requests() float64 { return r.Reads + r.Writes }

// Bytes returns the bytes in both directions.
func (r Rate) Bytes() float64 { return r.ReadBytes + r.WriteBytes }

// Times returns the rate times factor.
func (r Rate) Times(factor float64) Rate {
	for _, f := range r.fields() {
		*f *= factor
	}
	return r
}

// Operations returns what a provider counts for the rate on a volume with a unit. At most, each request stands alone,
// of the mean size, and counts as several if it exceeds the unit. At least, a volume that merges sequential requests
// merges all, up to the unit.
func (r Rate) Operations(unitKiB float64, merges bool) (least, most float64) {
	unit := unitKiB * 1024
	for _, way := range [][2]float64{{r.Reads, r.ReadBytes}, {r.Writes, r.WriteBytes}} {
		requests, units := way[0], way[1]/unit
		if requests <= 0 {
			continue
		}
		alone := requests * max(1, math.Ceil(number.Tidy(units/requests)))
		most += alone
		if merges {
			least += min(units, alone)
		} else {
			least += alone
		}
	}
	return least, most
}

// Charged returns the bytes per second that a volume charges for the rate: on hard disks each separate operation takes
// a whole unit.
func (r Rate) Charged(v catalog.Volume) float64 {
	if !v.HardDisk {
		return r.Bytes()
	}
	_, most := r.Operations(v.UnitKiB, v.Merges)
	return most * v.UnitKiB * 1024
}

// LeastRequest is a sector: no request of a database carries less.
const LeastRequest = 512

// TooSmall reports whether the requests of a rate carry less than any request can.
func (r Rate) TooSmall() bool { return r.Requests() >= 1 && r.Bytes() < LeastRequest*r.Requests() }
