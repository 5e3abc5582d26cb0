package words

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/series"
)

// Alternatives joins the names of quantities by "or".
func Alternatives(quantities []metric.Quantity) string {
	return Enumerated(Each(metric.Quantity.Many, quantities), " or ")
}

// Conjunction joins the names of quantities by "and".
func Conjunction(quantities []metric.Quantity) string {
	return Enumerated(Each(metric.Quantity.Many, quantities), " and ")
}

// Each applies change to all elements.
func Each[T, U any](change func(T) U, all []T) (changed []U) {
	for _, t := range all {
		changed = append(changed, change(t))
	}
	return changed
}

// Enumerated joins words for a sentence.
func Enumerated(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	end := len(words) - 1
	return strings.Join(words[:end], ", ") + last + words[end]
}

// Listing returns a sentence with names; empty if there are none.
func Listing(text string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return text + ": " + strings.Join(names, ", ") + "."
}

// Sentences joins the parts that are not empty, each ended by one full stop.
func Sentences(parts ...string) string {
	return strings.Join(Each(func(p string) string { return strings.TrimSuffix(p, ".") + "." }, Filled(parts...)), " ")
}

// Filled returns the texts that are not empty.
func Filled(texts ...string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return t == "" })
}

func Capital(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func InBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// Few returns the first of many names, and how many more there are.
func Few(names []string) []string {
	const shown = 4
	if n := len(names) - shown; n > 1 {
		return append(append([]string{}, names[:shown]...), strconv.Itoa(n)+" more")
	}
	return names
}

// Gathered groups names by what is said about them, in the order in which it was first said.
type Gathered struct {
	Said  []string
	names map[string][]string
}

func (g *Gathered) Add(text, name string) {
	if g.names == nil {
		g.names = map[string][]string{}
	}
	if g.names[text] == nil {
		g.Said = append(g.Said, text)
	}
	g.names[text] = append(g.names[text], name)
}

// Sentences formats each text once, with its names.
func (g *Gathered) Sentences(format func(names, text string) string) []string {
	return Each(func(text string) string { return format(strings.Join(g.names[text], ", "), text) }, g.Said)
}

// Percent formats a small share.
func Percent(part float64) string {
	if math.Abs(part) < 1e-6 {
		return "0%"
	}
	return number.Significant(100*part, 2) + "%"
}

// ForServer qualifies figures of the device that cover only this server.
func ForServer(alone bool) string {
	if alone {
		return " for this server"
	}
	return ""
}

// WhyNot returns in one line why something is missing.
func WhyNot(m *series.Missing) string {
	if m == nil {
		return "not recorded"
	}
	return m.Error()
}

// Texts returns a column of words.
func Texts(words []string) []document.Cell { return Each(document.Words, words) }

func Faint(text string) document.Block { return document.Paragraph{Text: text, Style: document.Faint} }

func Count(n int) document.Cell { return document.Number(fmt.Sprint(n), float64(n)) }

// Exact returns a number for a program.
func Exact(v float64) document.Cell { return document.Number("", v) }

// Known formats a rate that may be missing.
func Known(v *float64) document.Cell {
	if v == nil || !number.Finite(*v) {
		return document.Words("-")
	}
	return document.Number(number.Rate(*v), *v)
}

// mostNames is the number of names in one line of the list.
const mostNames = 6

// Shortened returns names without the prefix that they share with the one before: "pg_stat_wal.wal_write, wal_sync".
func Shortened(names []string) string {
	var all []string
	before := ""
	for i, name := range names {
		if i == mostNames && len(names) > mostNames+1 {
			all = append(all, fmt.Sprintf("%d more", len(names)-i))
			break
		}
		view, rest := name, ""
		if at := strings.IndexAny(name, ". "); at > 0 && !strings.HasPrefix(name, "CloudWatch") {
			view, rest = name[:at+1], name[at+1:]
		}
		if rest != "" && view == before {
			name = rest
		}
		all, before = append(all, name), view
	}
	return strings.Join(all, ", ")
}

// Observed says how long a server was observed, in windows of the given seconds.
func Observed(windows int, seconds float64) string {
	if windows == 0 {
		return "observed for less than " + Span(seconds)
	}
	return "observed for " + Span(float64(windows)*seconds)
}

// Span formats a number of seconds, to the second.
func Span(seconds float64) string {
	return printable.Duration(time.Duration(math.Round(seconds)) * time.Second)
}
