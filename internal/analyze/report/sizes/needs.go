package sizes

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/printable"
)

// needSection shows what each load needed from storage, and which need is sized for.
func (s Size) needSection() document.Block {
	t := document.Grid[SizeNeed]{Of: s.Needs}
	t.Wordy("load", func(n SizeNeed) string {
		name := n.Load
		if n.Of != "" {
			name = n.Of + ": " + name
		}
		if n.Model != "" {
			name += " (model)"
		}
		return name
	})
	add := func(header string, rate func(SizeNeed) *needs.Rate, of func(needs.Rate) float64) {
		t.Numeric(header, func(n SizeNeed) document.Cell {
			if r := rate(n); r != nil {
				return words.Known(new(of(*r)))
			}
			return words.Known(nil)
		})
	}
	mean := func(n SizeNeed) *needs.Rate { return n.Mean }
	p99 := func(n SizeNeed) *needs.Rate { return n.P99 }
	t.Numeric("rows", func(n SizeNeed) document.Cell {
		if n.Rows == nil {
			return words.Known(nil)
		}
		return about(*n.Rows)
	})
	add("requests", mean, needs.Rate.Requests)
	singular, plural := s.stretches()
	add("p99 "+singular, p99, needs.Rate.Requests)
	add("worst "+singular, func(n SizeNeed) *needs.Rate { return n.PeakSecond }, needs.Rate.Requests)
	if plural == "seconds" { // sources with periods include flushes in the writes
		add("flushes", mean, flushesOf)
	}
	add("MB", mean, megabytesOf)
	add("p99 "+singular+" MB", p99, megabytesOf)
	add("KB each", mean, sizeOf)
	blocks := document.Together{t.Table}
	switch {
	case plural != "seconds":
		blocks = append(blocks, words.Faint("Requests and MB are means over the whole time; requests include "+
			"flushes. The other columns are single "+plural+", the highest in the source."))
	case slices.ContainsFunc(s.Needs, func(n SizeNeed) bool { return n.P99 != nil }):
		blocks = append(blocks, words.Faint("Requests, flushes and MB cover everything a load caused, including "+
			"writes after its end, per second of load. The other columns are single seconds, including those after its end, "+
			"so they can be lower."))
	}
	return document.Titled("What storage had to do (per second)", blocks)
}

// stretches names the stretch that the peaks cover.
func (s Size) stretches() (singular, plural string) {
	length := time.Second
	for _, n := range s.Needs {
		length = max(length, time.Duration(n.Each*float64(time.Second)))
	}
	return needs.Stretches(length)
}

func flushesOf(r needs.Rate) float64   { return r.Flushes }
func megabytesOf(r needs.Rate) float64 { return r.Bytes() / number.Mega }
func sizeOf(r needs.Rate) float64      { return r.Bytes() / r.Requests() / 1000 }

// rateColumn is one number of a rate.
type rateColumn struct {
	header string
	of     func(needs.Rate) float64
}

// bothWays returns the columns of reads and writes separately.
func bothWays() []rateColumn {
	return []rateColumn{
		{"reads", func(r needs.Rate) float64 { return r.Reads }},
		{"writes", func(r needs.Rate) float64 { return r.Writes }},
		{"flushes", flushesOf},
		{"MB read", func(r needs.Rate) float64 { return r.ReadBytes / number.Mega }},
		{"MB written", func(r needs.Rate) float64 { return r.WriteBytes / number.Mega }},
	}
}

// detailSection shows the need of the sized load, reads and writes, on average and at its peak; nil if only the mean is
// known.
func (s Size) detailSection() document.Block {
	need := s.sizedNeed()
	if need == nil || need.P95 == nil {
		return nil
	}
	singular, plural := s.stretches()
	type row struct {
		name string
		rate *needs.Rate
	}
	var t document.Grid[row]
	for _, r := range []row{{"everything it caused", need.Mean}, {"mean " + singular, need.MeanSecond},
		{"p95 " + singular, need.P95},
		{"p99 " + singular, need.P99}, {"worst " + singular, need.PeakSecond}, {"worst minute", need.PeakMinute}} {
		if r.rate != nil {
			t.Of = append(t.Of, r)
		}
	}
	t.Wordy("a second", func(r row) string { return r.name })
	for _, column := range append(bothWays(), rateColumn{"KB each", sizeOf}) {
		if column.header == "flushes" && plural != "seconds" {
			continue
		}
		t.Numeric(column.header, func(r row) document.Cell { return words.Known(new(column.of(*r.rate))) })
	}
	legend := fmt.Sprintf("Each number by itself; %s single %s", printable.Count(need.Seconds), plural)
	if need.RowsPerRequest != nil && need.RecordsPerRequest != nil {
		legend += fmt.Sprintf("; %s rows and %s WAL records per request on average",
			number.Ratio(*need.RowsPerRequest), number.Ratio(*need.RecordsPerRequest))
	}
	return document.Titled(need.Load+" in detail", document.Together{t.Table, words.Faint(legend + ".")})
}

// sizedNeed returns the need of the sized load; of several runs, of the one with the most bytes.
func (s Size) sizedNeed() *SizeNeed {
	for i, n := range s.Needs {
		if n.Load == s.Sized.Load && (n.Run == "" || n.Run == s.Run.ID) {
			return &s.Needs[i]
		}
	}
	return nil
}

func (s Size) sizedFor() string {
	need := s.Sized.Rate
	_, several := s.stretches()
	text := fmt.Sprintf("Sized for %s, %s: %s requests/s and %s MB/s", s.Sized.Load, basis(s.Sized.Basis, several),
		number.Rate(need.Requests()), number.Rate(need.Bytes()/number.Mega))
	if len(s.Sized.Runs) > 1 {
		text = fmt.Sprintf("Sized for %s, number by number: %s requests/s (%s) and %s MB/s (%s)", s.Sized.sizedLoad(),
			number.Rate(need.Requests()), s.Sized.worstOf(needs.Rate.Requests), number.Rate(need.Bytes()/number.Mega),
			s.Sized.worstOf(megabytesOf))
	}
	text += fmt.Sprintf("; with %.0f%% headroom, on %s GiB.", s.Sized.Headroom, number.Grouped(s.Sized.GiB, 0))
	return strings.Join(append([]string{text}, s.Sized.scaled()...), " ")
}

// basis describes the rate of a load that is sized for.
func basis(name, several string) string {
	switch percentile, ok := strings.CutPrefix(name, "p"); {
	case ok:
		v, _ := strconv.ParseFloat(percentile, 64)
		return fmt.Sprintf("the %s percentile of its %s, or its total divided by the time if that is more",
			number.Ordinal(v), several)
	case name == sizing.BySaying:
		return "as given"
	case name == sizing.ByMean:
		return "the highest mean of its repetitions"
	default:
		return "the model's upper bound for its WAL and pages"
	}
}

func (s Sized) sizedLoad() string {
	runs := s.runs()
	switch parts := len(s.Runs); {
	case parts == 1:
		return s.Load
	case runs == parts:
		return fmt.Sprintf("the highest of %d runs", runs)
	case runs == 1:
		return fmt.Sprintf("the highest of %d kinds of load", parts)
	default:
		return fmt.Sprintf("the highest of %d kinds of load in %d runs", parts, runs)
	}
}

func (s Sized) runs() int {
	ids := map[string]bool{}
	for _, r := range s.Runs {
		ids[r.ID] = true
	}
	return len(ids)
}

// worstOf names the load, and with several runs the run, with the largest need.
func (s Sized) worstOf(of func(needs.Rate) float64) string {
	most := slices.MaxFunc(s.Runs, func(a, b SizedRun) int { return cmp.Compare(of(a.Rate), of(b.Rate)) })
	if s.runs() == 1 {
		return most.Load + ", " + most.Basis
	}
	return fmt.Sprintf("%s, %s, %s", most.Name, most.Load, most.Basis)
}

// scaled names the quantities that are assumed to grow with the rows, and the resulting range of the need.
func (s Sized) scaled() []string {
	if len(s.Law) == 0 {
		return nil
	}
	least, most := s.Least, s.Rate
	text := fmt.Sprintf("So the need is %s requests/s, and %s MB/s.",
		within(least.Requests(), most.Requests()), within(least.Bytes()/number.Mega, most.Bytes()/number.Mega))
	if most.Requests() > wide*least.Requests() || most.Bytes() > wide*least.Bytes() {
		text += " A run with that load would tell more."
	}
	return append(slices.Clone(s.Law), text)
}

// wide is the ratio between the ends of a need from which on a run is worthwhile.
const wide = 2

// Demand describes the sized need.
func (s Sized) Demand() string {
	return fmt.Sprintf("%s requests and %s MB a second (%s, plus %.0f%% headroom) on %s GiB",
		number.Rate(s.Rate.Requests()), number.Rate(s.Rate.Bytes()/number.Mega), s.sizedLoad(), s.Headroom,
		number.Grouped(s.GiB, 0))
}
