// Package wal shows what the WAL of each load is made of.
package wal

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/figure"
	"github.com/realiops/realiops/internal/analyze/report/relation"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

// WAL counts the records that a load wrote, by kind.
type WAL struct {
	Source  string          `json:"source"`            // pg_walinspect, pg_waldump, or model: nobody read the WAL
	Missing *series.Missing `json:"missing,omitempty"` // why nobody read it
	// share of the WAL's bytes whose records were counted, the lowest of all repetitions
	Coverage float64       `json:"coverage"`
	Parts    []Part        `json:"parts"`
	PerRow   figure.Figure `json:"per_row"`    // records of all kinds
	Off      figure.Figure `json:"difference"` // relative difference of their number from pg_stat_wal
	// Relations are its tables and indexes, those with most bytes first; empty if unknown.
	Relations []relation.Share `json:"relations,omitempty"`
}

// Part is one kind of record.
type Part struct {
	Part   string        `json:"part"`
	PerRow figure.Figure `json:"per_row"`
}

// Of returns nil for an idle load or one without repetitions.
func Of(a counts.Load) *WAL {
	if a.Idle() || len(a.Repetitions) == 0 {
		return nil
	}
	l := &WAL{Coverage: 1, Parts: []Part{}}
	anatomies, parts := make([]counts.Anatomy, len(a.Repetitions)), map[string]bool{}
	for i, r := range a.Repetitions {
		anatomy, err := a.Anatomy(r)
		if err != nil {
			return nil
		}
		anatomies[i] = anatomy
		if i == 0 || anatomy.Coverage < l.Coverage {
			l.Source, l.Coverage, l.Missing = anatomy.Source, anatomy.Coverage, anatomy.Missing
		}
		for _, p := range anatomy.Parts {
			parts[p.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		l.Parts = append(l.Parts, Part{name, perRow(a, anatomies, func(x counts.Anatomy) counts.Part {
			return partNamed(x, name)
		})})
	}
	l.PerRow = perRow(a, anatomies, func(x counts.Anatomy) counts.Part { return x.Sum })
	l.Off, l.Relations = difference(anatomies), relation.Shares(a.Repetitions)
	return l
}

// partNamed returns a part without records if there is none of that name: the WAL was read, and there were none.
func partNamed(a counts.Anatomy, name string) counts.Part {
	for _, p := range a.Parts {
		if p.Name == name {
			return p
		}
	}
	return counts.Part{Name: name}
}

// perRow returns a part's records per row, over the repetitions, with its bounds.
func perRow(a counts.Load, anatomies []counts.Anatomy, of func(counts.Anatomy) counts.Part) figure.Figure {
	var s figure.Sample
	for i, r := range a.Repetitions {
		part, rows := of(anatomies[i]), float64(r.Work.Rows)
		if rows == 0 {
			s.Add(0, counts.NoneOf(metric.RowsWritten))
			continue
		}
		s.Add(part.Records/rows, nil)
		s.Widen(part.Low/rows, nil)
		s.Widen(part.High/rows, nil)
	}
	return s.Figure()
}

// difference returns how far the sums are from PostgreSQL's own count.
func difference(anatomies []counts.Anatomy) figure.Figure {
	var s figure.Sample
	for _, a := range anatomies {
		if a.Coverage > 0 && !a.Exact() {
			s.Add(0, &series.Missing{Reason: counts.NotRecorded, Detail: "a sample was read and scaled to " +
				"pg_stat_wal's count"})
			continue
		}
		if math.IsNaN(a.Counted) {
			s.Add(0, &series.Missing{Reason: counts.NotRecorded, Detail: "pg_stat_wal's count of the records was " +
				"not read"})
			continue
		}
		s.Add(a.Sum.Records/a.Counted-1, nil)
	}
	return s.Figure()
}

// Load names a load and what its WAL is made of.
type Load struct {
	Name string
	WAL  *WAL
}

// Section shows what the WAL is made of, per thousand rows, of each load that wrote some.
func Section(loads []Load) document.Block {
	loads = slices.DeleteFunc(slices.Clone(loads), func(a Load) bool { return !a.WAL.PerRow.Known() })
	if len(loads) == 0 {
		return nil
	}
	parts, seldom := partsIn(loads)
	var t document.Table
	t.Add(document.Wordy("records per 1,000 rows"), words.Texts(append(slices.Clone(parts), "total")))
	for _, a := range loads {
		t.Add(document.Numeric(a.Name), append(words.Each(a.WAL.part, parts), perThousand(a.WAL.PerRow)))
	}
	legend := howRead(loads)
	about := relation.Table()
	for _, a := range loads {
		about.Rows = append(about.Rows, relation.Rows(a.Name, a.WAL.Relations)...)
	}
	if len(seldom) > 0 {
		legend += " Fewer than 0.1 per 1,000 rows: " + strings.Join(seldom, ", ") + "."
	}
	return document.Titled("What the WAL of each load is made of", document.Together{t, words.Faint(legend)}, about)
}

// partsIn returns the parts of the loads' WAL, and those too small in all loads for a line.
func partsIn(loads []Load) (parts, seldom []string) {
	const worth = 1e-4 // per row
	most := map[string]float64{}
	for _, a := range loads {
		for _, p := range a.WAL.Parts {
			most[p.Part] = max(most[p.Part], p.PerRow.Value)
		}
	}
	for _, part := range slices.Sorted(maps.Keys(most)) {
		if most[part] < worth {
			seldom = append(seldom, part)
		} else {
			parts = append(parts, part)
		}
	}
	return parts, seldom
}

// perThousand returns a ratio to rows as one to a thousand rows.
func perThousand(perRow figure.Figure) document.Cell { return perRow.Cell(perRow.Times(1000).Ratio()) }

// part returns an empty cell if the load's WAL has no such part.
func (l *WAL) part(name string) document.Cell {
	for _, p := range l.Parts {
		if p.Part == name {
			return perThousand(p.PerRow)
		}
	}
	return document.Words("")
}

// howRead names the source of each load's figures, and their difference from PostgreSQL's own.
func howRead(loads []Load) string {
	var g words.Gathered
	for _, a := range loads {
		g.Add(a.WAL.way(), a.Name)
	}
	sentences := g.Said
	if len(sentences) > 1 {
		sentences = g.Sentences(func(names, way string) string { return names + ": " + way })
	}
	return strings.TrimRight(strings.Join(append(sentences, deviationText(loads)), " "), " ")
}

func (l *WAL) way() string {
	switch {
	case l.Source == counts.Model && l.Missing != nil:
		return "Modelled from the clients' work, because the WAL could not be read (" + words.WhyNot(l.Missing) + ")."
	case l.Source == counts.Model:
		return "Modelled from the clients' work: the WAL was not read."
	case l.Coverage < 1:
		return fmt.Sprintf("%s of the WAL was read, by %s, and scaled up.", number.Percent(l.Coverage), l.Source)
	default:
		return "Every record was counted, by " + l.Source + "."
	}
}

// deviationText says how far the sums are from PostgreSQL's count, in the worst repetition.
func deviationText(loads []Load) string {
	worst, where := 0.0, ""
	held := slices.DeleteFunc(slices.Clone(loads), func(a Load) bool {
		return a.WAL.Coverage > 0 && a.WAL.Coverage < 1
	})
	if len(held) == 0 {
		return ""
	}
	for _, a := range held {
		if !a.WAL.Off.Known() {
			return "PostgreSQL's own count of the records is unknown."
		}
		if off := max(math.Abs(a.WAL.Off.Lowest), math.Abs(a.WAL.Off.Highest)); off > worst {
			worst, where = off, a.Name
		}
	}
	switch {
	case worst == 0:
		return "pg_stat_wal has exactly the same count."
	case worst < 1e-3: // less than 0.1% would be rounded up
		return fmt.Sprintf("pg_stat_wal's counts differ by less than 0.1%% (%s).", where)
	default:
		return fmt.Sprintf("pg_stat_wal's counts differ by up to %s (%s).", number.Percent(worst), where)
	}
}
