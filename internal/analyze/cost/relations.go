package cost

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/runfile"
)

// relations returns the relations of a load, if the WAL of all its repetitions was broken down.
func relations(load counts.Load) Relations {
	all := Relations{Items: []Relation{}}
	place := map[[2]string]int{}
	for n, r := range load.Repetitions {
		if all.Missing = cmp.Or(whyUnknown(r.WAL), mismatch(r)); all.Missing != "" {
			return Relations{Items: []Relation{}, Missing: all.Missing}
		}
		for _, item := range r.WAL.Items {
			item.Name = lastingName(item)
			key := [2]string{item.Is, item.Name}
			at, known := place[key]
			if !known {
				at = len(all.Items)
				place[key] = at
				all.Items = append(all.Items, newRelation(item, len(load.Repetitions)))
			}
			all.Items[at].add(n, item)
		}
	}
	for i := range all.Items {
		for _, e := range all.Items[i].named() {
			e.Low, e.Median, e.High = slices.Min(e.Runs), stats.Median(e.Runs), slices.Max(e.Runs)
		}
	}
	slices.SortStableFunc(all.Items, func(a, b Relation) int { return cmp.Compare(b.Bytes.Median, a.Bytes.Median) })
	return all
}

// lastingName returns a name that stays the same between measurements. The TOAST table's own name contains a number, so
// its table's is used.
func lastingName(i runfile.WALItem) string {
	if i.Is == runfile.WALOversized || i.Is == runfile.WALOversizedIndex {
		return cmp.Or(i.Table, i.Name)
	}
	return i.Name
}

func whyUnknown(w *runfile.WAL) string {
	switch {
	case w == nil:
		return "this run did not ask for it"
	case w.Missing != "":
		return w.Missing
	case w.Read < w.Bytes:
		return fmt.Sprintf("%s of %s bytes of its WAL were read before it was recycled or time was up", amount(float64(w.Read)),
			amount(float64(w.Bytes)))
	default:
		return ""
	}
}

// mismatch says that the own WAL of a repetition's tables and indexes differs from the count of all; empty if they
// agree, or it is unknown. A page split counts as an entry of average size, so it is in neither sum.
func mismatch(r counts.Repetition) string {
	if r.Log == nil || r.Log.Missing != nil || !r.Log.Exact() {
		return ""
	}
	var sum, all float64
	for _, p := range r.Log.Parts {
		if slices.Contains(own, p.Name) {
			all += withoutImages(p)
		}
	}
	for _, item := range r.WAL.Items {
		for name, p := range item.Parts {
			if slices.Contains(own, name) {
				sum += float64(p.Bytes - p.ImageBytes)
			}
		}
	}
	if math.Abs(sum-all) <= largestMismatch*all {
		return ""
	}
	return fmt.Sprintf("the tables and indexes of repetition %d have %s bytes of own WAL, and the repetition has %s",
		r.Number, amount(sum), amount(all))
}

// largestMismatch is the largest relative difference between the two.
const largestMismatch = 0.005

func newRelation(i runfile.WALItem, repetitions int) Relation {
	r := Relation{Name: i.Name, Is: i.Is}
	for _, e := range r.named() {
		e.Runs = make([]float64, repetitions) // 0 if it is not among the items
	}
	return r
}

// namedEach is an amount of a relation, with its name in JSON.
type namedEach struct {
	name string
	*Each
}

func (r *Relation) named() []namedEach {
	return []namedEach{{"own_records", &r.OwnRecords}, {"own_bytes", &r.OwnBytes}, {"records", &r.Records},
		{"bytes", &r.Bytes}, {"images", &r.Images}, {"image_bytes", &r.ImageBytes}}
}

func (r *Relation) add(n int, i runfile.WALItem) {
	r.Table, r.Dropped, r.Constraint, r.last = i.Table, i.Dropped, i.Constraint, i
	all := counts.Written(i)
	records, bytes := ownRecords(anatomyOf(i))
	for e, more := range map[*Each]float64{
		&r.OwnRecords: records, &r.OwnBytes: bytes, &r.Records: float64(all.Records), &r.Bytes: float64(all.Bytes),
		&r.Images: float64(all.Images), &r.ImageBytes: float64(all.ImageBytes),
	} {
		e.Runs[n] += more
	}
}

// anatomyOf returns the WAL of one relation by its parts.
func anatomyOf(i runfile.WALItem) (log counts.Anatomy) {
	for name, p := range i.Parts {
		log.Parts = append(log.Parts, counts.Part{Name: name, Records: float64(p.Records), Bytes: float64(p.Bytes),
			Images: float64(p.ImageBytes)})
	}
	return log
}

// ownRecords returns the records of rows, entries and commits, and their bytes without images. A page split counts as an
// entry of average size.
func ownRecords(log counts.Anatomy) (records, bytes float64) {
	for _, p := range log.Parts {
		switch {
		case slices.Contains(own, p.Name):
			records, bytes = records+p.Records, bytes+withoutImages(p)
		case p.Name == split:
			records += p.Records
		}
	}
	return records, bytes + entriesOfSplits(log)
}

// Called returns the name for people: with its schema and kind.
func (r Relation) Called() string {
	return runfile.WALItem{Name: r.Name, Is: r.Is, Table: r.Table, Dropped: r.Dropped}.Called()
}

// mostRelations bounds the relations reported; the rest is small.
const mostRelations = 20

// section returns a table of the relations, or why there is none.
func (rs Relations) section() document.Block {
	const title = "WAL by table and index, each time"
	if rs.Missing != "" {
		return document.Titled(title, document.Paragraph{Text: "Not known: " + rs.Missing + ".", Style: document.Faint})
	}
	if len(rs.Items) == 0 {
		return nil
	}
	t := document.Table{Columns: []document.Column{{Header: "of", Words: true}, {Header: "own records"},
		{Header: "own bytes"}, {Header: "page images"}, {Header: "bytes in all"}, {Header: "share"}}}
	sum := 0.0
	for _, r := range rs.Items {
		sum += r.Bytes.Median
	}
	cell := func(e Each) document.Cell {
		if len(e.Runs) == 0 {
			return document.Words("") // not in a base
		}
		return document.Number(amount(e.Median), e.Median)
	}
	for _, r := range rs.Items[:min(len(rs.Items), mostRelations)] {
		if !slices.ContainsFunc(r.named(), func(e namedEach) bool { return e.Median > 0 }) {
			continue // no WAL in most repetitions
		}
		share := document.Words("")
		if len(r.Bytes.Runs) > 0 {
			part := r.Bytes.Median / max(sum, 1)
			share = document.Number(fmt.Sprintf("%.0f%%", 100*part), part)
		}
		t.Rows = append(t.Rows, document.Row{Cells: []document.Cell{document.Words(r.Called()), cell(r.OwnRecords),
			cell(r.OwnBytes), cell(r.Images), cell(r.Bytes), share}})
	}
	return document.Titled(title, t)
}
