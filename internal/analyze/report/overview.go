package report

import (
	"fmt"

	"github.com/realiops/realiops/internal/analyze/drivers"
)

// column is one way of counting, as the first table shows it.
type column struct {
	driver string
	header string
	unit   float64 // what one in the table stands for
}

func columns() []column {
	return []column{
		{drivers.Rows, "rows", 1},
		{drivers.WALRecords, "log\nrecords", 1},
		{drivers.DeviceRequests, "device\nrequests", 1},
		{drivers.DeviceFlushes, "device\nflushes", 1},
		{drivers.DeviceBytes, "device\nMB", megabyte},
	}
}

// workTable shows the work of each loaded arm, counted in several ways.
func (r Report) workTable(notes *footnotes, width int) string {
	title, g := r.workGrid(notes)
	if g == nil {
		return ""
	}
	return title + "\n\n" + g.layout(width) + "\n" + wrapped(r.doubtLegend(), width)
}

// workGrid is that table before it is laid out; nil: no arm with a load was measured.
func (r Report) workGrid(notes *footnotes) (title string, g *grid) {
	arms := r.loaded()
	if len(arms) == 0 {
		return "", nil
	}
	g = newGrid(r.armWord(), names(arms))
	ways := 0
	for _, c := range columns() {
		column := cells{notes: notes}
		for _, a := range arms {
			column.add(a.Of(c.driver), in(c.unit))
		}
		g.add(c.header, column.strings())
		if column.known > 0 {
			ways++
		}
	}
	if r.Observed != nil {
		return "What went on, by kind of load (per second)", g
	}
	if ways < 2 {
		return "The work (per second)", g
	}
	return fmt.Sprintf("The same work, counted %s ways (per second)", inWords(ways)), g
}

// armWord is what arms are called: in an observation nobody ran any.
func (r Report) armWord() string { return armWord(r.Observed != nil) }

func armWord(observed bool) string {
	if observed {
		return "load"
	}
	return "arm"
}

// armByArm is how the details go.
func (r Report) armByArm() string { return capital(r.armWord()) + " by " + r.armWord() }

// fromArmToArm is where ratios may move, and what is taken off.
func (r Report) fromArmToArm() string {
	if r.Observed != nil {
		return "from load to load, beyond what stretches of one load differ by"
	}
	return "from arm to arm, beyond what replicates of an arm differ by"
}

// loaded are the arms that put load on the server and were measured.
func (r Report) loaded() []Arm {
	var loaded []Arm
	for _, a := range r.Arms {
		if !a.Idle && a.Replicates > 0 {
			loaded = append(loaded, a)
		}
	}
	return loaded
}

func names(arms []Arm) []string {
	var names []string
	for _, a := range arms {
		names = append(names, a.Name)
	}
	return names
}

// doubtLegend says what ± means in this run.
func (r Report) doubtLegend() string {
	fewest, most := 0, 0
	for _, a := range r.loaded() {
		if fewest == 0 || a.Replicates < fewest {
			fewest = a.Replicates
		}
		most = max(most, a.Replicates)
	}
	if r.Observed != nil {
		return "Means of the windows of each kind; ± half the range of up to six stretches of them."
	}
	n := fmt.Sprint(most)
	if fewest != most {
		n = fmt.Sprintf("%d to %d", fewest, most)
	}
	if most == 1 {
		return "±? one replicate does not show how far a figure varies"
	}
	return fmt.Sprintf("Means of %s replicates; ± half their range, that of the background included.", n)
}
