package purposes

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
)

// Parts are the components of a device metric, for all programs, if each request was traced to its file. They come from
// the kernel, not from a fit.
type Parts []Part

// Part is one component. All parts of a metric add up to it.
type Part struct {
	Part  string     `json:"part"`
	Share float64    `json:"share"` // of the metric, over all loads
	Loads []PartLoad `json:"loads"`
}

// PartLoad is the rate of a part under a load, per second of elapsed time, with no background subtracted.
type PartLoad struct {
	Load      string  `json:"load"`
	PerSecond float64 `json:"per_second"`
	Lowest    float64 `json:"lowest"` // of the repetitions
	Highest   float64 `json:"highest"`
	N         int     `json:"n"`
}

// component is a part, as a sum of counters less others. The difference is at least 0.
type component struct {
	name      string
	sum, less []string
}

// components returns the components of a metric of all disks; nil if requests do not explain it.
func components(name string) []component {
	view, field, _ := strings.Cut(name, "/")
	if view != "block" {
		return nil
	}
	of := func(field string) (all []component) {
		for _, p := range purposes() {
			c := component{name: p.header}
			for _, kind := range p.kinds {
				c.sum = append(c.sum, "request."+kind+"/"+field)
			}
			all = append(all, c)
		}
		return all
	}
	switch field {
	case "writes":
		parts := of(field)
		empty := component{name: "empty flushes", sum: []string{metric.RequestWrites}}
		for _, p := range parts {
			empty.less = append(empty.less, p.sum...)
		}
		return append(parts, empty)
	case "flushes":
		return []component{
			{name: "asked for by this server", sum: []string{metric.ServerFlushes}},
			{name: notServers, sum: []string{metric.RequestFlushes}, less: []string{metric.ServerFlushes}},
		}
	case "requests":
		return of("writes")
	case "write_bytes", "reads", "read_bytes":
		return of(field)
	}
	return nil
}

// rate returns the component's rate in a repetition; NaN if it was not counted.
func (c component) rate(r counts.Repetition) float64 {
	amount, seconds := 0.0, 0.0
	add := func(sign float64, names []string) {
		for _, name := range names {
			n, counted := r.Counts[name]
			if !counted || n.Missing != nil {
				seconds = math.NaN()
				continue
			}
			amount += sign * n.Raw
			seconds = max(seconds, n.Seconds)
		}
	}
	add(1, c.sum)
	add(-1, c.less)
	return max(0, amount/seconds)
}

// PartsOf returns the parts of a device metric in run; nil if some requests were not traced to their files under every
// load, or were lost.
func PartsOf(run *counts.Run, name string) (all Parts) {
	whole := 0.0
	for _, c := range components(name) {
		p := Part{Part: c.name}
		for _, a := range run.Loads {
			l := PartLoad{Load: a.Name, Lowest: math.Inf(1)}
			for _, r := range a.Repetitions {
				rate := c.rate(r)
				if math.IsNaN(rate) || math.IsInf(rate, 0) || r.Counts[metric.RequestsLost].Raw > 0 {
					return nil
				}
				l.PerSecond, l.N = l.PerSecond+rate, l.N+1
				l.Lowest, l.Highest = min(l.Lowest, rate), max(l.Highest, rate)
			}
			if l.N == 0 {
				continue
			}
			l.PerSecond /= float64(l.N)
			if !a.Idle() {
				p.Share += l.PerSecond
			}
			p.Loads = append(p.Loads, l)
		}
		whole += p.Share
		all = append(all, p)
	}
	if whole == 0 {
		return nil
	}
	for i := range all {
		all[i].Share /= whole
	}
	return all
}

// notServers are flushes that no process of the server requested.
const notServers = "by the journal and other programs"

// Lines names the largest parts with their shares, of this server only or of all programs; none if there is only one
// part.
func (ps Parts) Lines(ofServer bool) (lines []string) {
	const room, worth = 3, 0.03
	sorted := slices.SortedStableFunc(slices.Values(ps), func(a, b Part) int { return cmp.Compare(b.Share, a.Share) })
	if ofServer {
		sorted = slices.DeleteFunc(sorted, func(p Part) bool {
			return slices.Contains([]string{"journal", otherPrograms.header, notServers}, p.Part)
		})
	}
	whole, rest := 0.0, 0.0
	for _, p := range sorted {
		whole += p.Share
	}
	if len(sorted) < 2 || whole == 0 {
		return nil
	}
	line := func(name string, part float64) {
		lines = append(lines, map[bool]string{true: "+ "}[len(lines) > 0]+name+" "+number.Percent(part/whole))
	}
	for i, p := range sorted {
		if i >= room || p.Share < worth*whole {
			rest += p.Share
			continue
		}
		line(p.Part, p.Share)
	}
	if rest > 0 {
		line("others", rest)
	}
	return lines
}

// Block shows the parts by load; nil if there are none.
func (ps Parts) Block() document.Block {
	if len(ps) == 0 {
		return nil
	}
	var t document.Table
	t.Caption = "what it is made of, per second"
	t.Add(document.Wordy("load"), words.Each(func(l PartLoad) document.Cell { return document.Words(l.Load) }, ps[0].Loads))
	for _, p := range ps {
		t.Add(document.Numeric(p.Part), words.Each(func(l PartLoad) document.Cell {
			return document.Number(number.Rate(l.PerSecond), l.PerSecond)
		}, p.Loads))
	}
	return document.Together{
		t, words.Faint("Each request of every program, as the kernel reported it; no background is subtracted. A " +
			"write without data is an empty flush.")}
}
