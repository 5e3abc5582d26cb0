// Package relation shows which tables and indexes the WAL of a load is about.
package relation

import (
	"cmp"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/runfile"
)

// Share is the part of the WAL that is about one table, index or sequence, or about none.
type Share struct {
	Of     string  `json:"of"`
	Share  float64 `json:"share"`  // of all bytes
	Images float64 `json:"images"` // share of page images in its bytes
	index  bool
}

// Shares returns the shares over all repetitions, the largest first; nil if the WAL of one was not broken down.
func Shares(repetitions []counts.Repetition) (all []Share) {
	var sum float64
	for _, r := range repetitions {
		if r.WAL == nil || r.WAL.Missing != "" || r.WAL.Read == 0 {
			return nil
		}
		scale := float64(r.WAL.Bytes) / float64(r.WAL.Read)
		for _, item := range r.WAL.Items {
			i := slices.IndexFunc(all, func(s Share) bool { return s.Of == item.Called() })
			if i < 0 {
				i, all = len(all), append(all, Share{Of: item.Called(), index: item.Is == runfile.WALIndex})
			}
			wrote := counts.Written(item)
			all[i].Share, all[i].Images = all[i].Share+scale*float64(wrote.Bytes), all[i].Images+
				scale*float64(wrote.ImageBytes)
			sum += scale * float64(wrote.Bytes)
		}
	}
	for i := range all {
		all[i].Images /= max(1, all[i].Share)
		all[i].Share /= max(1, sum)
	}
	slices.SortStableFunc(all, func(a, b Share) int { return cmp.Compare(b.Share, a.Share) })
	return all
}

// Table returns an empty table for the rows of several loads.
func Table() document.Table {
	return document.Table{Caption: "Tables and indexes behind the WAL, for loads that write to indexes",
		Columns: []document.Column{document.Wordy("load"), document.Wordy("of"), document.Numeric("share of its WAL"),
			document.Numeric("of that page images")}}
}

// worth is the least share that gets a row.
const worth = 0.01

// Rows returns the rows of a load that writes to indexes. Another load has none: its WAL is about its table.
func Rows(load string, all []Share) (rows []document.Row) {
	if !slices.ContainsFunc(all, func(s Share) bool { return s.index && s.Share >= worth }) {
		return nil
	}
	percent := func(v float64) document.Cell { return document.Number(number.Percent(v), v) }
	for _, s := range all {
		if s.Share >= worth {
			rows = append(rows, document.Row{Cells: []document.Cell{document.Name(load), document.Words(s.Of),
				percent(s.Share), percent(s.Images)}})
		}
	}
	return rows
}
