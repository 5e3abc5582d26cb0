package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
)

// readSection shows the reads of each load on each rung, and where they were answered.
func (r Report) readSection() document.Block {
	loads := r.Loads.reading()
	if len(loads) == 0 {
		return nil
	}
	t := document.Grid[Load]{Of: loads}
	t.Column(document.Wordy("load"), r.Loads.explained)
	title := "Reads, from rows down to the device (per second)"
	steps := []struct {
		quantity metric.Quantity
		header   string
	}{
		{metric.RowsReturned, "rows returned"}, {metric.BuffersTouched, "buffers touched"}, {metric.PagesMissed, "pages asked"},
		{metric.DeviceReads, "device reads"},
	}
	// the device was not counted, as said above
	if !slices.ContainsFunc(loads, func(a Load) bool { return a.Of(metric.DeviceReads).Known() }) {
		title, steps = "Reads, from rows down to what was asked of the operating system (per second)", steps[:3]
	}
	for _, c := range steps {
		t.Numeric(c.header, func(a Load) document.Cell {
			f := a.Of(c.quantity)
			return f.Cell(f.Rate(1))
		})
	}
	legend := "pages asked: blocks not found in shared buffers, so requested from the operating system."
	if len(r.Loads.writing()) == 0 { // otherwise it stands above
		legend += " " + r.plusMinusLegend()
	}
	return document.Titled(title, document.Together{t.Table, words.Faint(legend)},
		r.Loads.loadTerms(slices.DeleteFunc(slices.Clone(loads), func(a Load) bool {
			return !a.readsAlone()
		})), answers(loads))
}

// answers shows where the buffers touched were answered, for each load that has this.
func answers(loads []Load) document.Block {
	known := slices.DeleteFunc(slices.Clone(loads), func(a Load) bool { _, why := a.answered(); return why != "" })
	if len(known) == 0 {
		return nil
	}
	t := document.Grid[Load]{Of: known}
	t.Wordy("buffers touched, answered", func(a Load) string { return a.Name })
	for i, header := range []string{"by shared buffers", "by the page cache", "by the device"} {
		t.Numeric(header, func(a Load) document.Cell {
			shares, _ := a.answered()
			return document.Number(number.Percent(shares[i]), shares[i])
		})
	}
	return document.Together{t.Table, words.Faint("Counted in pages, without the device's read-ahead.")}
}

const blockBytes = 8192

// countedTogether is the relative difference that two counters of the same reads may have, since they are not read at
// the same moment.
const countedTogether = 0.02

// answered returns the shares of buffers touched that were answered by shared buffers, by the page cache and by the
// device; or why they are unknown.
func (a Load) answered() (shares [3]float64, why string) {
	touched, missed, read := a.Of(metric.BuffersTouched), a.Of(metric.PagesMissed), a.Of(metric.DeviceReadSize)
	for _, f := range []Figure{touched, missed, read} {
		if !f.Known() {
			return shares, words.WhyNot(f.Missing)
		}
	}
	if read.Lost() {
		return shares, "what the device read is indistinguishable from the background"
	}
	if !positive(touched) {
		return shares, "no buffers were touched"
	}
	if missed.Lost() {
		return shares, "what was asked of the operating system is indistinguishable from the background"
	}
	if missed.Value > (1+countedTogether)*touched.Value {
		return shares, "more pages were asked for than buffers touched"
	}
	asked := min(max(0, missed.Value), touched.Value)
	fromDevice := min(max(0, read.Value)/blockBytes, asked)
	return [3]float64{1 - asked/touched.Value, (asked - fromDevice) / touched.Value, fromDevice / touched.Value}, ""
}

// busy is the share of the largest load's page requests from which on a load is worth mentioning.
const busy = 0.25

// headlineOfReads returns nil if no load reads, or the device was not counted.
func headlineOfReads(loads []Load) (lowest *HeadlineOfReads) {
	most := 0.0
	reading := Loads(loads).reading()
	for _, a := range reading {
		most = max(most, a.Of(metric.PagesMissed).Value)
	}
	for _, a := range reading {
		asked, device := a.Of(metric.PagesMissed), a.Of(metric.DeviceReads)
		if !device.Known() || device.Lost() || !(asked.Value > busy*most) || asked.Value <= 0 {
			continue
		}
		device.Value = max(0, device.Value)
		if lowest == nil || device.Value/asked.Value < lowest.Device.Value/lowest.Asked.Value {
			lowest = &HeadlineOfReads{a.Name, asked, device}
		}
	}
	return lowest
}

func (h *HeadlineOfReads) sentence() string {
	did := "the device did " + h.Device.Rate(1) + "."
	if h.Device.Value < 1 {
		did = "the device did none."
	}
	return fmt.Sprintf("Read as IOPS, PostgreSQL's reads would be %s a second (%s); %s",
		h.Asked.Rate(1), h.Load, did)
}

// becameOfRequests shows the share of requested reads that reached the device.
func (ms Metrics) becameOfRequests() document.Block {
	var g words.Gathered
	for _, m := range ranked(ms) {
		if m.ToDevice != nil && m.Missing == nil {
			g.Add(reachedDevice(*m.ToDevice), m.Name)
		}
	}
	return words.Faint(strings.Join(g.Sentences(func(names, text string) string {
		return "REQUESTED: " + text + ": " + names + "."
	}), " "))
}

func reachedDevice(t attribution.ToDevice) string {
	if t.Least.Load == t.Most.Load {
		return fmt.Sprintf("%s %s for each (%s)", shareText(t.Most.Ratio), t.Of.Many(), t.Most.Load)
	}
	return fmt.Sprintf("%s (%s) to %s (%s) %s for each", shareText(t.Least.Ratio), t.Least.Load,
		shareText(t.Most.Ratio), t.Most.Load, t.Of.Many())
}

// shareText formats a share with few enough digits that nearly equal metrics agree.
func shareText(ratio float64) string {
	if ratio < 0.1 {
		return number.Ratio(ratio)
	}
	return number.Grouped(ratio, 2)
}
