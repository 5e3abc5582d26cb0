package fleet

import (
	"fmt"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/printable"
)

// coverage says which hours of the requested time are known.
type coverage struct {
	from  time.Time
	known []bool
}

const (
	nearlyAll = 0.95 // share of the hours from which on a history counts as complete
	week      = 7 * 24
	day       = 24
	fewHours  = 2 // that may be missing at either end
)

func (c coverage) count(from, to int) (n int) {
	for _, known := range c.known[max(0, from):min(to, len(c.known))] {
		if known {
			n++
		}
	}
	return n
}

func (c coverage) ends() (first, after int) {
	first = len(c.known)
	for h, known := range c.known {
		if known {
			first, after = min(first, h), h+1
		}
	}
	return first, after
}

func (c coverage) at(h int) time.Time { return c.from.Add(time.Duration(h) * time.Hour) }

// since returns the end of the last known hour; nil if that is the end of the requested time.
func (c coverage) since() *time.Time {
	if _, after := c.ends(); after+fewHours <= len(c.known) {
		return new(c.at(after))
	}
	return nil
}

const shortly = "2 Jan 15:04"

// text says how much is known, and what is missing; empty if nothing is.
func (c coverage) text() string {
	n, all := c.count(0, len(c.known)), len(c.known)
	first, after := c.ends()
	since := c.since()
	if n == 0 || since == nil && first < fewHours && float64(n) >= nearlyAll*float64(all) {
		return ""
	}
	text := fmt.Sprintf("known %d of %d h", n, all)
	if first >= fewHours {
		text += ", nothing before " + c.at(first).Format(shortly)
	}
	if since != nil {
		text += ", nothing since " + since.Format(shortly)
	}
	if holes := after - first - n; holes > 0 {
		text += fmt.Sprintf(", %s missing in between", printable.Counted(holes, "hour"))
	}
	return text
}

// tooLittle says why the known hours do not suffice for an order; empty if they do. requests shows which hours are
// busy.
func (c coverage) tooLittle(requests []float64) string {
	all := len(c.known)
	if last := min(all, week); float64(c.count(all-last, all)) < nearlyAll*float64(last) {
		switch first, after := c.ends(); {
		case c.since() != nil:
			return "no data since " + c.at(after).Format(shortly)
		case first > all-last:
			return "no data before " + c.at(first).Format(shortly)
		}
		return fmt.Sprintf("only %[2]d of the last %[1]s are known", printable.Counted(last, "hour"), c.count(all-last,
			all))
	}
	if at := c.emptySlots(); at != nil {
		return strings.Join(at, ", ") + " UTC is missing on most days, and may be the busiest hour"
	}
	return c.busiestBeside(requests)
}

// emptySlots returns the hours of the day that are missing on more than half of the days.
func (c coverage) emptySlots() (at []string) {
	if len(c.known) < 2*day {
		return nil
	}
	first, after := c.ends()
	for slot := range day {
		n, of := 0, 0
		for h := first; h < after; h++ {
			if c.at(h).Hour() != slot {
				continue
			}
			if of++; c.known[h] {
				n++
			}
		}
		if 2*n < of {
			at = append(at, fmt.Sprintf("%02d:00", slot))
		}
	}
	return at
}

// busiestBeside warns if the busiest hour is next to a longer hole, in which the load may have been higher.
func (c coverage) busiestBeside(requests []float64) string {
	worst := -1
	for h, known := range c.known {
		if known && (worst < 0 || requests[h] > requests[worst]) {
			worst = h
		}
	}
	first, after := c.ends()
	hole := func(from, to int) bool { return from > first && to < after && c.count(from, to) == 0 }
	if worst >= 0 && (hole(worst+1, worst+1+fewHours) || hole(worst-fewHours, worst)) {
		return "the busiest known hour, " + c.at(worst).Format(shortly) + ", is next to unknown hours"
	}
	return ""
}

// cover records which hours are known.
func (d *Database) cover(c coverage) {
	d.Known = c.count(0, len(c.known))
	if text := c.text(); text != "" {
		d.lack("%s", text)
	}
	if _, after := c.ends(); after > 0 {
		d.KnownUntil = c.at(after)
	}
}
