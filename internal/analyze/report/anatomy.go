package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/series"
)

// Log is what kinds of record an arm put into the server's log.
type Log struct {
	Source   string    `json:"source"`            // pg_walinspect, pg_waldump, or model: nobody read the log
	Missing  *Missing  `json:"missing,omitempty"` // why nobody read it
	Coverage float64   `json:"coverage"`          // the share of the log whose records were counted, the lowest of all replicates
	Parts    []LogPart `json:"parts"`
	PerRow   Figure    `json:"per_row"`    // records of all kinds
	Off      Figure    `json:"difference"` // of their number from what pg_stat_wal counts, as a part of that
}

// LogPart is one kind of record.
type LogPart struct {
	Part   string `json:"part"`
	PerRow Figure `json:"per_row"`
}

// logOf is nil for an arm without load or without replicates.
func logOf(a drivers.Arm) *Log {
	if a.Idle() || len(a.Replicates) == 0 {
		return nil
	}
	l := &Log{Coverage: 1, Parts: []LogPart{}}
	anatomies := make([]drivers.Anatomy, len(a.Replicates))
	for i, r := range a.Replicates {
		anatomy, err := a.Anatomy(r)
		if err != nil {
			return nil
		}
		anatomies[i] = anatomy
		if i == 0 || anatomy.Coverage < l.Coverage {
			l.Source, l.Coverage, l.Missing = anatomy.Source, anatomy.Coverage, missingOf(anatomy.Missing)
		}
	}
	for _, name := range partsOf(anatomies) {
		l.Parts = append(l.Parts, LogPart{name, perRow(a, anatomies, func(x drivers.Anatomy) drivers.Part { return partNamed(x, name) })})
	}
	l.PerRow = perRow(a, anatomies, func(x drivers.Anatomy) drivers.Part { return x.Sum })
	l.Off = difference(anatomies)
	return l
}

func missingOf(m *series.Missing) *Missing {
	if m == nil {
		return nil
	}
	return whyMissing(m)
}

// partsOf are the parts of any of the anatomies, by name.
func partsOf(anatomies []drivers.Anatomy) []string {
	var all []string
	for _, a := range anatomies {
		for _, p := range a.Parts {
			if !slices.Contains(all, p.Name) {
				all = append(all, p.Name)
			}
		}
	}
	slices.Sort(all)
	return all
}

// partNamed has no records where there is none of that name: the log was read, and there were none.
func partNamed(a drivers.Anatomy, name string) drivers.Part {
	for _, p := range a.Parts {
		if p.Name == name {
			return p
		}
	}
	return drivers.Part{Name: name}
}

// perRow is a part's records for each row, over the replicates, with what each leaves in doubt.
func perRow(a drivers.Arm, anatomies []drivers.Anatomy, of func(drivers.Anatomy) drivers.Part) Figure {
	var s sample
	for i, r := range a.Replicates {
		part, rows := of(anatomies[i]), float64(r.Work.Rows)
		s.add(part.Records/rows, nil)
		s.widen(part.Low/rows, nil)
		s.widen(part.High/rows, nil)
	}
	return s.figure()
}

// difference is how far the sums are from PostgreSQL's own count.
func difference(anatomies []drivers.Anatomy) Figure {
	var s sample
	for _, a := range anatomies {
		if a.Coverage > 0 && !a.Exact() {
			s.add(0, &series.Missing{Reason: drivers.NotRecorded, Detail: "a sample is scaled to pg_stat_wal's count"})
			continue
		}
		if math.IsNaN(a.Counted) {
			s.add(0, &series.Missing{Reason: drivers.NotRecorded, Detail: "pg_stat_wal's count of the records"})
			continue
		}
		s.add(a.Sum.Records/a.Counted-1, nil)
	}
	return s.figure()
}

// logTable is what the log of each arm is made of, for each thousand rows.
func (r Report) logTable(notes *footnotes, width int) string {
	arms := slices.DeleteFunc(r.loaded(), func(a Arm) bool { return a.Log == nil })
	if len(arms) == 0 {
		return ""
	}
	parts, seldom := partsIn(arms)
	g := newGrid("records for each\n1,000 rows", append(slices.Clone(parts), "all together"))
	for _, a := range arms {
		column := cells{notes: notes}
		for _, part := range parts {
			column.addPart(a.Log, part)
		}
		column.add(a.Log.PerRow, perThousand)
		g.add(strings.ReplaceAll(a.Name, "-", "-\n"), column.strings())
	}
	return "What the log of each arm is made of\n\n" + g.layout(width) + "\n" + wrapped(howRead(arms)+less(seldom), width)
}

// partsIn are the parts of the arms' logs, and those of them that are nowhere worth a line.
func partsIn(arms []Arm) (parts, seldom []string) {
	const worth = 1e-4 // for each row
	most := map[string]float64{}
	for _, a := range arms {
		for _, p := range a.Log.Parts {
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

func less(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return " There were less than 0.1 for 1,000 rows of " + strings.Join(parts, ", ") + "."
}

func perThousand(perRow float64) string { return quotient(1000 * perRow) }

// addPart leaves the cell empty where the arm's log has none of it.
func (c *cells) addPart(l *Log, name string) {
	for _, p := range l.Parts {
		if p.Part == name {
			c.add(p.PerRow, perThousand)
			return
		}
	}
	c.addText("")
}

// howRead says how the figures of each arm were come by, and by how much they miss PostgreSQL's own.
func howRead(arms []Arm) string {
	var said []string
	of := map[string][]string{}
	for _, a := range arms {
		way := a.Log.way()
		if of[way] == nil {
			said = append(said, way)
		}
		of[way] = append(of[way], a.Name)
	}
	for i, way := range said {
		if len(said) > 1 {
			way = strings.Join(of[way], ", ") + ": " + way
		}
		said[i] = way
	}
	return strings.TrimRight(strings.Join(append(said, offText(arms)), " "), " ")
}

func (l *Log) way() string {
	switch {
	case l.Source == drivers.Model && l.Missing != nil:
		return "A model, from what the clients did, because the log could not be read (" + l.Missing.text() + ")."
	case l.Source == drivers.Model:
		return "A model, from what the clients did: nobody read the log."
	case l.Coverage < 1:
		return fmt.Sprintf("%s of the log was read, by %s, and scaled up to all of it.", percent(l.Coverage), l.Source)
	default:
		return "Every record was counted, by " + l.Source + "."
	}
}

// offText says how far the sums are from PostgreSQL's count, in the replicate where one is furthest.
func offText(arms []Arm) string {
	worst, where := 0.0, ""
	held := slices.DeleteFunc(slices.Clone(arms), func(a Arm) bool { return a.Log.Coverage > 0 && a.Log.Coverage < 1 })
	if len(held) == 0 {
		return ""
	}
	for _, a := range held {
		if !a.Log.Off.Known() {
			return "PostgreSQL's own count of the records is not known."
		}
		if off := max(math.Abs(a.Log.Off.Lowest), math.Abs(a.Log.Off.Highest)); off > worst {
			worst, where = off, a.Name
		}
	}
	switch {
	case worst == 0:
		return "pg_stat_wal counts exactly as many."
	case worst < 1e-3: // a tenth of a percent would be rounded up
		return fmt.Sprintf("pg_stat_wal's counts differ by no more than %.0g%% (%s).", 100*worst, where)
	default:
		return fmt.Sprintf("pg_stat_wal's counts differ by up to %s (%s).", percent(worst), where)
	}
}
