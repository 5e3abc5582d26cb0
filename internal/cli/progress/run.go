package progress

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// firstGuess is the assumed overhead of a repetition before the first.
const firstGuess = 1200 * time.Millisecond

// run holds the state of a run from the records so far.
type run struct {
	plan     runfile.Plan
	total    int // repetitions of loads
	finished int
	began    time.Time // the first settle
	lastEnd  time.Time // of the last repetition; began before there is one
	event    runfile.LoadEvent

	doing    string    // while no load runs
	unworked bool      // there are no rows to show
	until    time.Time // the announced end; zero: none
	observed bool      // without loads of ours

	ownDevice bool // nothing else uses it
	followed  bool // its requests are attributed to files

	rows    float64 // a second: written, or returned by loads that read; of the last load line, at the end of the load
	loaded  recent  // the rows of the last seconds
	commits rate    // of the server, if no load is ours
	wal     rate    // bytes
	records rate    // of the WAL; sessions report theirs late, the rest at their end
	worked  float64 // seconds of the load
	did     float64 // rows of the load
	// device counts data requests, of this server alone if known, with reads if jobs load storage alone.
	device rate
	job    rate // operations of such a job
}

// rate is the growth of a cumulative number between its last two readings.
type rate struct {
	at               time.Time
	value, perSecond float64
	known            bool
	last             recent

	latest, base float64 // the last reading, even if close to the one before; and the last before the load
	read         bool    // since the load began
}

// tooClose is the least distance of readings for a rate: those at the edge of a load lie milliseconds apart.
const tooClose = 200 * time.Millisecond

func (r *rate) follow(at time.Time, value float64) {
	r.latest, r.read = value, true
	if !r.at.IsZero() && at.Sub(r.at) < tooClose {
		return
	}
	if seconds := at.Sub(r.at).Seconds(); !r.at.IsZero() && seconds > 0 {
		r.perSecond, r.known = (value-r.value)/seconds, true
		r.last.add(r.perSecond)
	}
	r.at, r.value = at, value
}

// startAt forgets the rate, and begins the next one at a reading.
func (r *rate) startAt(at time.Time, value float64) {
	r.latest, r.read, r.at, r.value, r.known = value, true, at, value, false
}

func (s *run) follow(record runfile.Record) {
	switch record := record.(type) {
	case runfile.Run:
		s.plan = record.Plan
		s.total = s.plan.Steps()
		s.observed, s.ownDevice = record.Observed, record.Target.Storage.Own
	case runfile.LoadEvent:
		s.followLoad(record)
	case runfile.Work:
		seconds, rows := record.To.Sub(record.From).Seconds(), float64(max(record.Rows, record.Returned))
		s.worked, s.did = s.worked+seconds, s.did+rows
		if seconds > 0.1 { // the rest after the last second says little
			s.rows = rows / seconds
			s.loaded.add(s.rows)
		}
	case runfile.Reading:
		s.followReading(record.At, record.Values)
	}
}

func (s *run) followReading(at time.Time, values map[string]float64) {
	if s.began.IsZero() && s.observed {
		s.began = at
	}
	if reads, alone := values[metric.FioReads]; alone {
		s.job.follow(at, reads+values[metric.FioWrites])
	}
	if commits, ok := values[metric.CommitsOfAll]; ok {
		s.commits.follow(at, commits)
	}
	switch records, ok := values[metric.StatWALRecords]; {
	case ok && s.doing == "" && s.worked > 0:
		s.records.follow(at, records)
	case ok:
		s.records.startAt(at, records)
	}
	if position, ok := values[metric.InsertPosition]; ok {
		s.wal.follow(at, position)
	}
	if requests, counted := values[metric.ServerWrites]; counted && !s.ownDevice {
		if !s.followed {
			s.followed, s.device = true, rate{} // not the whole device's
		}
		s.device.follow(at, requests)
	}
	writes, ok := values[metric.BlockWrites]
	if flushes, also := values[metric.BlockFlushes]; ok && also && !s.followed {
		requests := metric.Requests(writes, flushes)
		if s.job.known {
			requests += values[metric.BlockReads]
		}
		s.device.follow(at, requests)
	}
}

func (s *run) followLoad(event runfile.LoadEvent) {
	s.event = event
	switch event.Event {
	case runfile.Settle:
		if event.Added != "" {
			s.total++
		}
		if s.began.IsZero() {
			s.began, s.lastEnd = event.At, event.At
		}
	case runfile.Begin:
		s.rows, s.worked, s.did = 0, 0, 0
		for _, r := range s.rates() {
			r.base, r.known, r.read = r.latest, false, false
		}
	case runfile.End:
		s.finished++
		s.lastEnd = event.At
		if s.worked == 0 {
			return
		}
		s.rows = s.did / s.worked
		for _, r := range s.rates() {
			if r.read {
				r.perSecond, r.known = (r.latest-r.base)/s.worked, true
			}
		}
	}
}

// rates returns the rates that a finished load is reported with: its effects per second of its work.
func (s *run) rates() []*rate { return []*rate{&s.wal, &s.records, &s.device} }

// left estimates the remaining time at the pace so far. The less is done, the more the announced end counts.
func (s *run) left(now time.Time) time.Duration {
	each := time.Duration(s.plan.LoadSeconds*float64(time.Second)) + firstGuess
	if s.finished > 0 {
		each = s.lastEnd.Sub(s.began) / time.Duration(s.finished)
	}
	left := each*time.Duration(s.total-s.finished) - now.Sub(s.lastEnd)
	if !s.until.IsZero() && s.total > 0 {
		announced := s.until.Sub(now)
		left = announced + time.Duration(float64(left-announced)*float64(s.finished)/float64(s.total))
	}
	return max(left, 0)
}

// sentence returns a line of plain progress.
func (s *run) sentence(now time.Time) string {
	return fmt.Sprintf("[%d/%d] %s: %s, %s left", s.finished, s.total, s.loadName(), s.speeds(0, false),
		clock(s.left(now)))
}

// lines returns the lines redrawn in place: the progress and the activity, in the given width.
func (s *run) lines(width int, letters bool) []string {
	switch {
	case s.began.IsZero():
		return nil
	case s.observed:
		head := "observing " + clock(time.Since(s.began))
		if s.doing != "" {
			head += ": " + s.doing
		}
		return []string{head, s.speeds(width, letters)}
	case s.total == 0:
		return nil
	default:
		now := *s
		if now.unworked = s.doing != "" || s.worked == 0 && !s.idle(); now.unworked {
			now.records.known = false
		}
		return []string{s.bar(width), now.speeds(width, letters)}
	}
}

// bar returns the load, a bar, the share that is done, the time left, and the activity while no load runs.
func (s *run) bar(width int) string {
	now := time.Now()
	left := s.left(now)
	elapsed := now.Sub(s.began)
	share := float64(elapsed) / float64(max(elapsed+left, 1))
	head := fmt.Sprintf("%-16s ", s.loadName())
	tail := fmt.Sprintf(" %3.0f%%  %s left", 100*share, clock(left))
	const shortest, longest, phase = 5, 24, "  waiting for counters" // the longest phase
	room := min(width-len(head)-len(tail)-len(phase), longest)
	switch {
	case room < shortest && s.doing != "": // phases are short, and the time left returns soon
		return strings.TrimRight(head, " ") + "  " + s.doing
	case room < shortest:
		return head + strings.TrimSpace(tail)
	case s.doing != "":
		tail += "  " + s.doing
	}
	full := int(share * float64(room))
	return head + strings.Repeat("#", full) + strings.Repeat("-", room-full) + tail
}

// flow is an amount per second.
type flow struct {
	text string
	last recent
}

// flows returns the work, its WAL records beside the device's requests, and the WAL's bytes in the last
// second. Unknown ones are left out.
func (s *run) flows() (all []flow) {
	switch {
	case s.job.known:
		all = append(all, flow{"fio " + number.Grouped(s.job.perSecond, 0) + " operations/s", s.job.last})
	case s.observed && s.commits.known:
		all = append(all, flow{number.Grouped(s.commits.perSecond, 0) + " commits/s", s.commits.last})
	case !s.observed && !s.unworked:
		all = append(all, flow{number.Grouped(s.rows, 0) + " rows/s", s.loaded})
	}
	if s.records.known && !s.observed {
		all = append(all, flow{number.Grouped(s.records.perSecond, 0) + " WAL records/s", s.records.last})
	}
	if s.device.known {
		all = append(all, flow{"device " + number.Grouped(s.device.perSecond, 0) + " requests/s", s.device.last})
	}
	if s.wal.known {
		all = append(all, flow{"WAL " + number.Grouped(s.wal.perSecond/1e6, 1) + " MB/s", s.wal.last})
	}
	return all
}

// speeds returns the flows in a line, with sparklines of as many seconds as fit, if the terminal has the letters.
func (s *run) speeds(width int, letters bool) string {
	const gap = "  "
	flows := s.flows()
	taken := 0
	for i, f := range flows {
		if width > 0 && i > 0 && taken+len(f.text) > width { // part of a number would be another number
			flows = flows[:i]
			break
		}
		taken += len(f.text) + len(gap)
	}
	room := 0
	if letters && len(flows) > 0 {
		room = (width-taken)/len(flows) - len(" ")
	}
	var all []string
	for _, f := range flows {
		if room > 0 {
			f.text += " " + sparkline(f.last[max(len(f.last)-room, 0):])
		}
		all = append(all, f.text)
	}
	return strings.Join(all, gap)
}

func (s *run) loadName() string {
	name := printable.Line(s.event.Load)
	planned := s.plan.Repetitions
	if i := s.planned(); i >= 0 {
		planned = s.plan.Times(s.plan.Loads[i])
	}
	if s.event.Repetition > planned {
		return fmt.Sprintf("%s %d", name, s.event.Repetition)
	}
	return fmt.Sprintf("%s %d/%d", name, s.event.Repetition, planned)
}

// idle reports whether the load is idle.
func (s *run) idle() bool {
	i := s.planned()
	return i >= 0 && s.plan.Loads[i].Idle()
}

// planned returns the place of the load in the plan, or -1.
func (s *run) planned() int {
	return slices.IndexFunc(s.plan.Loads, func(a runfile.Load) bool { return a.Name == s.event.Load })
}

func clock(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	if seconds >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// levels are the heights of a sparkline, as block elements of Unicode.
var levels = []rune("▁▂▃▄▅▆▇█")

// remembered is how many seconds a sparkline shows.
const remembered = 10

// sparkline draws values, one character each, relative to the highest.
func sparkline(values []float64) string {
	if len(values) == 0 {
		return ""
	}
	highest := slices.Max(values)
	line := make([]rune, len(values))
	for i, v := range values {
		line[i] = levels[0]
		if highest > 0 && v > 0 {
			line[i] = levels[min(int(v/highest*float64(len(levels))), len(levels)-1)]
		}
	}
	return string(line)
}

// recent holds the values of the last seconds.
type recent []float64

func (r *recent) add(value float64) {
	*r = append(*r, value)
	if extra := len(*r) - remembered; extra > 0 {
		*r = slices.Delete(*r, 0, extra)
	}
}
