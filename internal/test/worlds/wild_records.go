package worlds

import (
	"math"
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// shows returns a meter's reading at a moment.
func (m Meter) shows(c course, before, moment float64) float64 {
	moment -= m.lag
	if m.step > 0 {
		moment = math.Floor((moment-m.phase)/m.step)*m.step + m.phase
	}
	value := before + c.at(m.sum, max(0, moment))
	if m.restarts > 0 && moment > m.restarts {
		value = c.at(m.sum, moment) - c.at(m.sum, m.restarts)
	}
	if m.wraps > 0 {
		value = math.Mod(value, m.wraps)
	}
	if m.unit > 0 {
		return m.unit * math.Floor(value/m.unit)
	}
	return math.Floor(value)
}

// wild writes a world by its course: everything is read by the second, and at the ends of repetitions.
func (p *recorder) wild() {
	w := p.world
	sums := p.sums()
	before := map[string]float64{}
	for _, m := range w.Meters {
		before[m.Name] = math.Round(p.dice.between(1, 1e9))
		if m.wraps > 0 {
			before[m.Name] = m.wraps - math.Round(p.dice.Float64()*min(m.wraps, m.sum[len(m.sum)-1]))
		}
	}
	read := func(moment float64, repetition int) {
		p.at = w.clock(moment)
		place := w.course.place(moment)
		for _, probe := range []string{block, pgstat, meter} {
			if !p.sees(probe) {
				continue
			}
			if repetition >= 0 && w.lost[repetition] == probe {
				p.write(runfile.Gap{At: p.at, Probe: probe, Reason: runfile.Late, Detail: "no answer within a second"})
				continue
			}
			values := make(map[string]float64, max(len(sums[probe]), len(w.Meters)))
			if probe == meter {
				for _, m := range w.Meters {
					switch {
					case m.kind != runfile.Counter:
					case repetition >= 0 && m.missing[repetition]:
						p.write(runfile.Gap{At: p.at, Probe: meter, Metric: m.Name, Reason: runfile.Throttled,
							Code: "429"})
					default:
						values[m.Name] = m.shows(*w.course, before[m.Name], moment)
					}
				}
			}
			for name, sum := range sums[probe] {
				values[name] = math.Floor(1e6 + place.in(sum))
			}
			p.write(runfile.Reading{At: p.at, Took: 0.001, Probe: probe, Values: values})
		}
	}
	next, last := 0.0, -1
	for i, s := range *w.course {
		if s.repetition != last {
			if last >= 0 {
				read(s.from-0.002, last)
				p.event(s.from-0.001, last, runfile.End)
			}
			if s.repetition >= 0 {
				p.event(s.from-0.1, s.repetition, runfile.Settle)
				read(s.from-0.002, -1)
				p.event(s.from-0.001, s.repetition, runfile.Begin)
			}
			last = s.repetition
		}
		if s.loaded {
			r := w.repetitions[s.repetition]
			p.write(runfile.Work{
				From: w.clock(s.from), To: w.clock(s.to), Load: r.load.Name, Repetition: r.repetition,
				Transactions: int64(s.done[metric.Commits]), Statements: int64(s.done[metric.Statements]),
				Rows:    int64(s.done[metric.RowsWritten]),
				Updated: int64(s.done[metric.RowsUpdated]), Deleted: int64(s.done[metric.RowsDeleted]),
				Returned: int64(s.done[metric.RowsReturned]), Lookups: int64(s.done[metric.Lookups]),
			})
		}
		for next = max(next, s.from+0.05); next < s.to-0.11; next += w.every {
			read(next, -1)
		}
		if i+1 == len(*w.course) {
			read(s.to, -1)
		}
	}
	p.at = w.clock(w.course.end())
	p.tellAll()
}

func (w World) clock(moment float64) time.Time { return start.Add(seconds(moment)) }

func (p *recorder) event(moment float64, place int, e runfile.Event) {
	r := p.world.repetitions[place]
	p.write(runfile.LoadEvent{At: p.world.clock(moment), Load: r.load.Name, Repetition: r.repetition, Event: e})
}

// tellAll writes all periods of meters that have them.
func (p *recorder) tellAll() {
	length := p.world.period.Seconds()
	for _, m := range p.world.Meters {
		if m.kind == runfile.Counter {
			continue
		}
		for from := 0.0; from+length <= p.world.course.end(); from += length {
			amount := p.world.course.at(m.sum, from+length) - p.world.course.at(m.sum, from)
			p.write(m.period(p.world.clock(from), p.world.clock(from+length), amount))
		}
	}
}

// sums returns the sums of the inputs of quantities, by probe and metric, as far as they are recorded.
func (p *recorder) sums() map[string]map[string][]float64 {
	w, all := p.world, map[string]map[string][]float64{}
	sum := func(of ...metric.Quantity) []float64 {
		off, last := 1.0, -2
		return w.course.sum(func(i int, s slice) (amount float64) {
			if s.repetition != last {
				last, off = s.repetition, p.dice.lognormal(w.blurred)
			}
			for _, quantity := range of {
				c := w.column(quantity)
				amount += (c.done[i] + c.besides[i]) * off
			}
			return amount
		})
	}
	add := func(probe, name string, of ...metric.Quantity) {
		for _, quantity := range of {
			if w.unrecorded[quantity] {
				return
			}
		}
		if all[probe] == nil {
			all[probe] = map[string][]float64{}
		}
		all[probe][name] = sum(of...)
	}
	exactly := func(name string, quantity metric.Quantity) { // PostgreSQL's counters in memory are exact
		blurred := w.blurred
		w.blurred = 0
		add(pgstat, name, quantity)
		w.blurred = blurred
	}
	exactly("pgstat.wal/wal_records", metric.WALRecords)
	exactly("pgstat.lsn/insert", metric.WALBytes)
	add(pgstat, "pgstat.wal/wal_write", metric.WALWrites)
	add(pgstat, "pgstat.wal/wal_sync", metric.WALSyncs)
	add(pgstat, "pgstat.io/writes", metric.PagesWritten)
	add(block, "block/flushes", metric.DeviceFlushes)
	add(block, "block/write_bytes", metric.DeviceBytes)
	if w.Reads() {
		p.sumsOfReads(add, exactly)
	}
	if all[block] != nil {
		requests := sum(metric.DeviceRequests)
		for i, flushes := range all[block]["block/flushes"] {
			requests[i] += flushes
		}
		all[block]["block/writes"] = requests
	}
	return all
}

// countersOfReads returns the counters of what loads read and change. The kernel counts the reads of the server's
// processes if it can be asked, else the server does.
func (w World) countersOfReads() (all []counterOf) {
	all = []counterOf{
		{pgstat, "pgstat.database/blks_read", "blocks", missed, true}, {pgstat, "pgstat.tables/n_tup_hot_upd", "rows",
			hotRows, true},
		{pgstat, "pgstat.wal/wal_fpi", "images", images, true}, {pgstat, "pgstat.statements/temp_blks_read", "blocks",
			tempRead, true},
		{pgstat, "pgstat.statements/temp_blks_written", "blocks", tempWrite, true},
		{pgstat, "pgstat.database/blks_hit", "blocks", inBuffers, true},
	}
	if w.unrecorded[devReads] {
		return append(all, counterOf{pgstat, "pgstat.io/read_bytes", "bytes", asked, false},
			counterOf{pgstat, "pgstat.io/reads", "operations", calls, false})
	}
	return append(all, counterOf{block, "block.process/rchar", "bytes", asked, false},
		counterOf{block, "block.process/syscr", "operations", calls, false},
		counterOf{block, "block/reads", "operations", devReads, false}, counterOf{block, "block/read_bytes", "bytes",
			devRead, false})
}

// counterOf is a counter of a quantity.
type counterOf struct {
	probe, metric, unit string
	quantity            metric.Quantity
	exact               bool // counted in PostgreSQL's memory
}

func (p *recorder) sumsOfReads(add func(probe, name string, of ...metric.Quantity),
	exactly func(name string, quantity metric.Quantity)) {
	for _, c := range p.world.countersOfReads() {
		if c.exact {
			exactly(c.metric, c.quantity)
		} else {
			add(c.probe, c.metric, c.quantity)
		}
	}
}
