package fleet

import (
	"fmt"
	"time"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/printable"
)

// ends formats the interval.
func (s Span) ends() string {
	lowest, highest := number.Grouped(s.Lowest, 0), number.Grouped(s.Highest, 0)
	if lowest == highest {
		return lowest
	}
	return lowest + " to " + highest
}

// before formats the interval followed by more; empty if it is one number, which the text already has.
func (s Span) before(more string) string {
	if number.Grouped(s.Lowest, 0) == number.Grouped(s.Highest, 0) {
		return ""
	}
	return s.ends() + more
}

// grid is a table of databases.
type grid = document.Grid[Database]

// addKnown adds a column with the known hours if some databases lack many.
func addKnown(t *grid, of []Database) {
	if partly(of) {
		t.Wordy("known", Database.knownText)
	}
}

// when says since or until when.
func (r Risk) when() string {
	c := r.Credits
	day := func(at time.Time) string { return at.Format(time.DateOnly) }
	switch {
	case r.Level == Exhausted && c.Metric == "":
		return printable.Counted(c.Hours, "hour") + ", by its rule"
	case r.Level == Exhausted:
		return printable.Counted(c.Hours, "hour")
	case r.Level == Ending && c.Ended:
		return "by now, if the last seven days went on"
	case r.Level == Ending && c.Ends == nil:
		return "from " + day(*c.Early) + " on, if it grows"
	case r.Level == Ending && day(*c.Early) != day(*c.Ends):
		return day(*c.Early) + " to " + day(*c.Ends)
	case r.Level == Ending:
		return day(*c.Ends)
	case r.Hours > 0:
		return printable.Counted(r.Hours, "hour")
	default:
		return number.Percent(r.Uses)
	}
}

// text describes an order.
func (s Storage) text() string {
	text := fmt.Sprintf("%s %s GiB", s.Title, number.Grouped(s.GiB, 0))
	if s.IOPS > 0 {
		text += fmt.Sprintf(", %s IOPS", number.Grouped(s.IOPS, 0))
	}
	if s.MiBps > 0 {
		text += fmt.Sprintf(", %s MiB/s", number.Grouped(s.MiBps, 0))
	}
	return text
}

// configurations maps Aurora's configurations to their names.
func configurations() map[string]string {
	return map[string]string{"aurora": "Aurora Standard", "aurora-iopt1": "Aurora I/O-Optimized"}
}

func (d Database) nameCell() document.Cell { return document.Name(d.Name) }

func (d Database) hasCell() document.Cell {
	switch {
	case d.Aurora != nil && d.Aurora.Now != "":
		return document.Words(configurations()[d.Aurora.Now])
	case d.Has != nil:
		return document.Words(d.Has.text())
	}
	return document.Words("-")
}

func (d Database) orderCell() document.Cell {
	switch {
	case d.Aurora != nil && d.Aurora.Cheaper != d.Aurora.Now:
		return document.Words(configurations()[d.Aurora.Cheaper])
	case d.Order != nil:
		return document.Words(d.Order.text())
	case d.Saves != nil:
		return document.Words("as it is")
	}
	return document.Words("-")
}

func (d Database) requestsCell() document.Cell {
	return d.needCell(func(r Rate) float64 { return r.Requests })
}

// needCell returns a number of the worst hour.
func (d Database) needCell(of func(Rate) float64) document.Cell {
	if d.Need == nil {
		return document.Words("-")
	}
	v := of(d.Need.WorstHour)
	return document.Number(number.Rate(v), v)
}

func (d Database) carriesCell() document.Cell {
	if d.Has == nil {
		return document.Words("-")
	}
	return document.Number(number.Rate(d.Has.Carries.Requests), d.Has.Carries.Requests)
}

func (d Database) riskCell() document.Cell {
	c := document.Words(string(d.Risk.Level))
	if d.Risk.Level == Exhausted || d.Risk.Level == Throttled {
		c.Mark = "grave"
	}
	return c
}

func (d Database) savesCell() document.Cell {
	if d.Saves == nil {
		return document.Words("-")
	}
	return document.Number(number.Grouped(d.Saves.Value, 0), d.Saves.Value)
}

// endCell says when credits end.
func (r Risk) endCell() document.Cell {
	switch {
	case r.Level == Exhausted:
		return document.Words("has run out").By(0)
	case r.Level == Ending:
		return document.Words(r.when()).By(float64(r.Credits.first().Unix()))
	}
	return document.Words("-")
}

func (r Risk) hoursCell() document.Cell {
	n := r.Hours
	if r.Level == Exhausted {
		n = r.Credits.Hours
	}
	if n == 0 {
		return document.Words("-")
	}
	return document.Number(number.Grouped(float64(n), 0), float64(n))
}

func (d Database) usesCell() document.Cell {
	if d.Has == nil {
		return document.Words("-")
	}
	return document.Number(number.Percent(d.Risk.Uses), d.Risk.Uses)
}
