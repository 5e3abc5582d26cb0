package progress

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/message"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// firstGuess is what an arm takes beside its load, until one has been seen.
const firstGuess = 1200 * time.Millisecond

// run is what the records so far tell of a run.
type run struct {
	plan     runfile.Plan
	total    int // replicates of arms
	finished int
	began    time.Time // the first settle
	lastEnd  time.Time // of the last finished replicate; began before there is one
	event    runfile.ArmEvent

	rows   float64 // a second, of the last load line
	device rate    // data requests; with reads where jobs put load on storage alone
	job    rate    // operations of such a job
}

// rate is how fast a cumulative number grew between its last two readings.
type rate struct {
	at        time.Time
	value     float64
	perSecond float64
	known     bool
}

// tooClose are readings at the edge of an arm, which come in milliseconds of each other and tell no rate.
const tooClose = 200 * time.Millisecond

func (r *rate) follow(at time.Time, value float64) {
	if r.known && at.Sub(r.at) < tooClose {
		return
	}
	if seconds := at.Sub(r.at).Seconds(); !r.at.IsZero() && seconds > 0 {
		r.perSecond, r.known = (value-r.value)/seconds, true
	}
	r.at, r.value = at, value
}

func (s *run) follow(record runfile.Record) {
	switch record := record.(type) {
	case runfile.Run:
		s.plan = record.Plan
		s.total = len(s.plan.Arms) * s.plan.Replicates
	case runfile.ArmEvent:
		s.followArm(record)
	case runfile.Load:
		if seconds := record.To.Sub(record.From).Seconds(); seconds > 0.1 { // the rest after the last second says little
			s.rows = float64(record.Rows) / seconds
		}
	case runfile.Reading:
		if reads, alone := record.Values["fio/reads"]; alone {
			s.job.follow(record.At, reads+record.Values["fio/writes"])
		}
		writes, ok := record.Values[metric.BlockWrites]
		flushes, also := record.Values[metric.BlockFlushes]
		if ok && also {
			requests := metric.Requests(writes, flushes)
			if s.job.known {
				requests += record.Values[metric.BlockReads]
			}
			s.device.follow(record.At, requests)
		}
	}
}

func (s *run) followArm(event runfile.ArmEvent) {
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
		s.rows = 0
	case runfile.End:
		s.finished++
		s.lastEnd = event.At
	}
}

// left is what the rest will take if it goes on as until now.
func (s *run) left(now time.Time) time.Duration {
	each := time.Duration(s.plan.ArmSeconds*float64(time.Second)) + firstGuess
	if s.finished > 0 {
		each = s.lastEnd.Sub(s.began) / time.Duration(s.finished)
	}
	return max(each*time.Duration(s.total-s.finished)-now.Sub(s.lastEnd), 0)
}

// sentence is a line of plain progress.
func (s *run) sentence(p *message.Printer, now time.Time) string {
	return p.Sprintf("[%d/%d] %s: %s, %s left", s.finished, s.total, s.armName(), s.speeds(p), clock(s.left(now)))
}

// bar is the line redrawn in place: arm, bar, share, speeds, time left, in as many columns as there are.
func (s *run) bar(p *message.Printer, width int) string {
	if s.total == 0 || s.began.IsZero() {
		return ""
	}
	now := time.Now()
	left := s.left(now)
	elapsed := now.Sub(s.began)
	share := float64(elapsed) / float64(max(elapsed+left, 1))
	head := fmt.Sprintf("%-16s ", s.armName())
	tail := p.Sprintf(" %3.0f %%  %s  %s left", 100*share, s.speeds(p), clock(left))
	const shortest, longest = 5, 24
	room := min(width-len(head)-len(tail), longest)
	if room < shortest { // what does not fit is cut off at the end
		return head + p.Sprintf("%.0f %%  %s left  %s", 100*share, clock(left), s.speeds(p))
	}
	full := int(share * float64(room))
	return head + strings.Repeat("#", full) + strings.Repeat("-", room-full) + tail
}

func (s *run) armName() string {
	name := printable.Line(s.event.Arm)
	if s.event.Replicate > s.plan.Replicates { // beyond the plan
		return fmt.Sprintf("%s %d", name, s.event.Replicate)
	}
	return fmt.Sprintf("%s %d/%d", name, s.event.Replicate, s.plan.Replicates)
}

// speeds leaves out the device where it is out of sight.
func (s *run) speeds(p *message.Printer) string {
	text := p.Sprintf("%.0f rows/s", s.rows)
	if s.job.known {
		text = p.Sprintf("%.0f fio operations/s", s.job.perSecond)
	}
	if s.job.known && s.device.known {
		return text + p.Sprintf(", %.0f device requests/s", s.device.perSecond)
	}
	if s.device.known {
		text += p.Sprintf(", %.0f device writes/s", s.device.perSecond)
	}
	return text
}

func clock(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	if seconds >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}
