// Package purposes shows what the requests of the disks were for.
package purposes

import (
	"fmt"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/series"
)

// purpose is a column for one purpose: kinds of the metrics request.*.
type purpose struct {
	header string
	kinds  []string
	others bool // of other programs
}

var otherPrograms = purpose{"other programs", []string{"other_programs"}, true}

func purposes() []purpose {
	return []purpose{
		{header: "WAL", kinds: []string{"wal"}}, {header: "tables", kinds: []string{"tables"}},
		{header: "indexes", kinds: []string{"indexes"}},
		{header: "other files", kinds: []string{"toast", "maps", "relations", "temp", "log", "other"}},
		{header: "journal", kinds: []string{"journal"}}, otherPrograms,
	}
}

// rate returns the sum of fields per second of a load, less the background, like all figures of the load. Other
// programs' work is not the load's: it is per second of elapsed time, as counted.
func (p purpose) rate(a counts.Load, fields []string) (float64, error) {
	amount, seconds := 0.0, 0.0
	for _, r := range a.Repetitions {
		if a.Idle() {
			r = r.BeforeEnd()
		}
		lasted, err := r.Lasted()
		if err != nil {
			return 0, err
		}
		for _, kind := range p.kinds {
			for _, field := range fields {
				name := "request." + kind + "/" + field
				shown, err := r.Count(name)
				if err != nil {
					return 0, err
				}
				if p.others {
					shown, lasted = r.Counts[name].Raw, r.Counts[name].Seconds
				}
				amount += shown
			}
		}
		seconds += lasted
	}
	if seconds == 0 {
		return 0, &series.Missing{Reason: "left-out", Detail: "no repetition could be used"}
	}
	return max(0, amount/seconds), nil
}

// Fields of each kind of request.
var (
	requestFields = []string{"writes", "reads"}
	byteFields    = []string{"write_bytes", "read_bytes"}
)

// Others says what other programs did to the device, which no figure includes; empty if nothing.
func Others(run *counts.Run) string {
	if !run.OfServer {
		return ""
	}
	var rates []float64
	for _, a := range run.Loads {
		if rate, err := otherPrograms.rate(a, requestFields); err == nil && !a.Idle() {
			rates = append(rates, rate)
		}
	}
	if len(rates) == 0 || slices.Max(rates) == 0 {
		return ""
	}
	did := number.Rate(slices.Min(rates))
	if most := number.Rate(slices.Max(rates)); most != did {
		did += " to " + most
	}
	return fmt.Sprintf("Other programs use the device, too (%s requests/s). Each request was traced to its file, "+
		"so device figures cover only this server's files, without the file system's journal.", did)
}

// Section shows what the requests of the disks were for, by load, if each was traced to its file.
func Section(run *counts.Run) document.Block {
	requests := forWhatTable(run, "requests", requestFields, 1)
	if len(requests.Rows) == 0 {
		return nil
	}
	return document.Titled("What the disks' requests were for (per second)",
		document.Together{requests, words.Faint("Reads and writes. Other files: this server's files except the WAL " +
			"and this database's tables and indexes. Other programs: per second of elapsed time.")},
		document.Only(document.OnPages, forWhatTable(run, "MB", byteFields, number.Mega)))
}

func forWhatTable(run *counts.Run, caption string, fields []string, unit float64) document.Table {
	loads := slices.DeleteFunc(slices.Clone(run.Loads), func(a counts.Load) bool {
		_, err := otherPrograms.rate(a, fields)
		return err != nil
	})
	if len(loads) == 0 || run.Observed != nil {
		return document.Table{} // an observation ranks files
	}
	t := document.Grid[counts.Load]{Of: loads, Table: document.Table{Caption: caption}}
	t.Wordy("load", func(a counts.Load) string { return a.Name })
	for _, p := range purposes() {
		t.Numeric(p.header, func(a counts.Load) document.Cell {
			rate, err := p.rate(a, fields)
			if err != nil {
				return document.Missing(err.Error())
			}
			return document.Number(number.Rate(rate/unit), rate/unit)
		})
	}
	return t.Table
}
