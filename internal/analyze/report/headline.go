package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
)

// pairs returns the pairs of quantities to compare, the most telling first; those not counted are skipped.
func pairs() [][2]metric.Quantity {
	return [][2]metric.Quantity{
		{metric.WALRecords, metric.DeviceRequests},
		{metric.RowsWritten, metric.DeviceRequests},
		{metric.WALRecords, metric.WALWrites},
		{metric.RowsWritten, metric.WALWrites},
		{metric.WALRecords, metric.RowsWritten},
	}
}

// headline returns nil if no load has both sides of a pair, and no metric is falsely called IOPS.
func headline(run *counts.Run, loads []Load, metrics []Metric) *Headline {
	h := comparison(run, loads)
	if m := misnamed(metrics); m != nil {
		beside := unknownStorage
		if h != nil && h.Quiet.Quantity != metric.RowsWritten {
			beside = " " + h.Text
		}
		h = cmp.Or(h, &Headline{})
		h.Metric, h.Text = m.Metric, m.exposed()+beside
	}
	if reads := headlineOfReads(loads); reads != nil {
		h = cmp.Or(h, &Headline{})
		h.Reads, h.Text = reads, strings.TrimSpace(h.Text+" "+reads.sentence())
	}
	return h
}

// comparison returns the headline of the most telling pair counted.
func comparison(run *counts.Run, loads []Load) *Headline {
	for _, pair := range pairs() {
		if h := compare(run, loads, pair[0], pair[1]); h != nil {
			h.Text = h.sentence(loads)
			return h
		}
	}
	return nil
}

// unknownStorage ends the headline if storage work is unknown.
const unknownStorage = " This run cannot tell what was written to storage."

// misnamed returns the first metric that is called IOPS and counts logical work, or nil.
func misnamed(metrics []Metric) *Metric {
	for _, m := range ranked(metrics) {
		if m.Misnomer == iops {
			return &m
		}
	}
	return nil
}

func (m Metric) loudest() (loudest InLoad) {
	for _, a := range m.Loads {
		if a.PerSecond.Value > loudest.Figure.Value {
			loudest = InLoad{a.Load, a.PerSecond}
		}
	}
	return loudest
}

func (m Metric) exposed() string {
	loudest := m.loudest()
	showed := fmt.Sprintf("%s showed %s a second (%s). Despite its name, it counts ", m.Name,
		loudest.Figure.Rate(1), loudest.Load)
	switch {
	case m.Counts != "":
		showed += m.called(m.Counts) + ", which is"
	case len(m.Between) > 0:
		showed += words.Alternatives(m.Between) + ", which is"
	case m.Mixture != nil:
		called := func(t attribution.Term) string { return m.called(t.Quantity) }
		showed += words.Enumerated(words.Each(called, m.Mixture.Terms), " and ") + ", which are"
	}
	return strings.TrimSpace(showed) + " logical work, not storage I/O."
}

func compare(run *counts.Run, loads []Load, loud, quiet metric.Quantity) *Headline {
	h := &Headline{Loud: Counted{Quantity: loud}, Quiet: Counted{Quantity: quiet}, ofServer: run.OfServer}
	count, of := CountedAs(run, loud), CountedAs(run, quiet)
	for i, a := range run.Loads {
		factor := ratio(count.Count, a, of)
		rate, beside := loads[i].Of(loud), loads[i].Of(quiet)
		if a.Idle() || loads[i].readsAlone() || !rate.Known() || !beside.Known() {
			continue
		}
		if rate.Value > h.Loud.PerSecond.Value && !beside.Drowned() {
			h.Load, h.Loud.PerSecond, h.Quiet.PerSecond = a.Name, rate, beside
		}
		if factor.Value <= 0 {
			h.NoFactor = append(h.NoFactor, a.Name)
			h.unsteady = append(h.unsteady, fmt.Sprintf("%s (%s)", a.Name, besides{loud: rate, quiet: beside}.ends()))
			continue
		}
		extend(&h.Smallest, &h.Largest, InLoad{a.Name, factor})
	}
	if !h.Smallest.Figure.Known() {
		return nil
	}
	return h
}

func (h *Headline) sentence(loads []Load) string {
	text := fmt.Sprintf("Read as \"IOPS\", the %s would say %s a second (%s).", h.Loud.Quantity.Many(),
		h.Loud.PerSecond.Rate(1), h.Load)
	switch h.Quiet.Quantity {
	case metric.DeviceRequests:
		text += fmt.Sprintf(" The device did %s requests a second%s%s.", h.Quiet.PerSecond.Between(),
			words.ForServer(h.ofServer), h.megabytes(loads))
	case metric.WALWrites:
		text += fmt.Sprintf(" The server wrote its WAL %s times a second", h.Quiet.PerSecond.Between()) +
			h.deviceBeside(loads)
	case metric.RowsWritten:
		text += fmt.Sprintf(" They stand for %s rows a second. This run cannot tell what was written to storage.",
			h.Quiet.PerSecond.Rate(1))
	}
	text += " " + h.spread()
	if len(h.NoFactor) > 0 {
		text += " It varies under " + words.Enumerated(h.unsteady, " and ") + "."
	}
	return text
}

// deviceBeside returns the device's work if it keeps no ratio in the load, as in an observation, or why it is unknown.
func (h *Headline) deviceBeside(loads []Load) string {
	for _, a := range loads {
		if a.Name != h.Load {
			continue
		}
		requests, bytes := a.Of(metric.DeviceRequests), a.Of(metric.DeviceBytes)
		switch {
		case requests.Known() && requests.Lost():
			return "; the device's requests are lost in its background."
		case requests.Known():
			return fmt.Sprintf(", and the device did %s requests%s.", requests.Rate(1),
				words.ForServer(h.ofServer))
		case bytes.Known() && !bytes.Lost():
			return fmt.Sprintf(", and the device wrote %s MB/s; its requests are unknown.", bytes.Rate(number.Mega))
		}
	}
	return "; its device was not visible."
}

func (h *Headline) megabytes(loads []Load) string {
	for _, a := range loads {
		if bytes := a.Of(metric.DeviceBytes); a.Name == h.Load && bytes.Known() && !bytes.Lost() {
			return fmt.Sprintf(", %s MB/s", bytes.Rate(number.Mega))
		}
	}
	return ""
}

// spread says how far the factor varies with the load, so that no rule of thumb holds.
func (h *Headline) spread() string {
	one, many := h.Quiet.Quantity.One(), h.Loud.Quantity.Many()
	if h.Smallest.Load == h.Largest.Load {
		return fmt.Sprintf("That is %s %s for one %s under this load; another load has another factor.",
			h.Largest.Figure.Factor(), many, one)
	}
	text := fmt.Sprintf("One %s stands for %s %s (%s) to %s (%s)", one,
		h.Smallest.Figure.Factor(), many, h.Smallest.Load, h.Largest.Figure.Factor(),
		h.Largest.Load)
	if h.Largest.Figure.Value > steady*h.Smallest.Figure.Value {
		return text + ", so no rule of thumb converts one into the other."
	}
	return text + ": much the same under the loads of this run."
}

// steady is the factor within which ratios under different loads count as equal.
const steady = 1.10

// sureness says what an order depends on, as far as the run knows.
func (r Report) sureness() (texts []string) {
	if h := r.Headline; h != nil && h.Quiet.Quantity != "" && h.Quiet.PerSecond.Known() {
		texts = append(texts, fmt.Sprintf("%s vary by %s from one repetition of %s to the next.",
			words.Capital(h.Quiet.Quantity.Many()), h.Quiet.PerSecond.PlusMinus(), h.Load))
	}
	if slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Condition && w.Rank != document.Note }) {
		texts = append(texts, "The warning at the top applies to every number here.")
	}
	return texts
}

func (r Report) headlineText() string {
	if r.Headline == nil {
		return ""
	}
	return r.Headline.Text
}
