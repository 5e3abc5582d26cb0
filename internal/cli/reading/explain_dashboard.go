package reading

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/dashboard"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
)

// board is the explanation of a dashboard's panels about I/O.
type board struct {
	Schema string       `json:"schema"`
	Panels []boardPanel `json:"panels"`
	Others int          `json:"others"` // panels without a metric known to be about I/O
}

type boardPanel struct {
	Title   string        `json:"title"`
	Metrics []boardMetric `json:"metrics"`
	Wrong   string        `json:"wrong,omitempty"` // the error in the title
}

type boardMetric struct {
	Name   string   `json:"name"`
	Sides  []string `json:"sides"` // several if the name differs between servers
	Counts []string `json:"counts"`
}

const boardSchema = "realiops.dashboard/1"

func (k knowledge) board(panels []dashboard.Panel) board {
	b := board{Schema: boardSchema, Panels: []boardPanel{}}
	for _, p := range panels {
		panel := boardPanel{Title: p.Title}
		for _, name := range p.Metrics {
			if m := k.named(name).shown(name); len(m.Sides) > 0 {
				panel.Metrics = append(panel.Metrics, m)
			}
		}
		if len(panel.Metrics) == 0 {
			b.Others++
			continue
		}
		panel.Wrong = panel.mistake()
		b.Panels = append(b.Panels, panel)
	}
	return b
}

// shown returns what a name counts, on all servers that have it, or nothing if it is not an amount of I/O or work.
func (k knowledge) shown(name string) boardMetric {
	m := boardMetric{Name: name}
	add := func(side, counts, where string) {
		if side == metric.NoSide || side == "" {
			return
		}
		if where != "" {
			counts += " on " + where
		}
		if !slices.Contains(m.Sides, side) {
			m.Sides = append(m.Sides, side)
		}
		if !slices.Contains(m.Counts, counts) {
			m.Counts = append(m.Counts, counts)
		}
	}
	for _, known := range k.meanings {
		add(known.Side, known.Counts, metric.Flavor(known.On))
	}
	for _, known := range k.local {
		add(known.Side(), known.Help, "")
	}
	if len(m.Sides) == 0 {
		for _, known := range k.elsewhere {
			add(known.Side, known.Counts, "")
		}
	}
	return m
}

// promise matches words in a title that promise storage I/O.
var promise = regexp.MustCompile(`(?i)\b(iops|disks?|i/?o|storage|volumes?|physical)\b`)

// mistake explains the error in a title that promises storage I/O; empty: none.
func (p boardPanel) mistake() string {
	if !promise.MatchString(p.Title) {
		return ""
	}
	var not []string
	for _, m := range p.Metrics {
		switch {
		case slices.Equal(m.Sides, []string{metric.Physical}):
			return "" // it shows what the title promises
		case slices.Equal(m.Sides, []string{metric.ALimit}): // of the storage, as the title says
		case slices.Contains(m.Sides, metric.Physical), slices.Contains(m.Sides, metric.EitherSide):
			not = append(not, m.Name+" is storage I/O on some servers only")
		default:
			not = append(not, m.Name+" is no storage I/O")
		}
	}
	return strings.Join(not, "; ")
}

func (b board) document() (d document.Document) {
	var wrong document.Points
	var shown entry
	for _, p := range b.Panels {
		var says []string
		for _, m := range p.Metrics {
			side := metric.EitherSide
			if len(m.Sides) == 1 {
				side = m.Sides[0]
			}
			says = append(says, m.Name+": "+counting(side, strings.Join(m.Counts, ", ")))
		}
		shown.say(p.Title, says...)
		if p.Wrong != "" {
			wrong = append(wrong, document.Point{Text: fmt.Sprintf("%q: %s", p.Title, p.Wrong)})
		}
	}
	if len(wrong) > 0 {
		d.Blocks = append(d.Blocks, document.Paragraph{Text: "These titles promise what the panels do not show:"}, wrong)
	}
	if len(b.Panels) == 0 {
		d.Blocks = append(d.Blocks, document.Paragraph{Text: "No panel shows a metric of I/O that is known here."})
	} else {
		d.Blocks = append(d.Blocks, under("What the panels show", shown))
	}
	if b.Others > 0 {
		d.Blocks = append(d.Blocks, document.Paragraph{
			Text: "Without a metric of I/O that is known here: " + printable.Counted(b.Others, "other panel") + "."})
	}
	return d
}
