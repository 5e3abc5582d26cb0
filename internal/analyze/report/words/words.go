package words

import (
	"math"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/metric"
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
func Each[T, U any](change func(T) U, all []T) []U {
	var changed []U
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
	var sentences []string
	for _, p := range parts {
		if p != "" {
			sentences = append(sentences, strings.TrimSuffix(p, ".")+".")
		}
	}
	return strings.Join(sentences, " ")
}

// Filled returns the texts that are not empty.
func Filled(texts ...string) []string {
	var all []string
	for _, t := range texts {
		if t != "" {
			all = append(all, t)
		}
	}
	return all
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
