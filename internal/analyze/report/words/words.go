package words

import (
	"math"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/metric"
)

// One and Many return the usual name of a counted quantity.
func One(quantity string) string  { return metric.Quantity(quantity).One() }
func Many(quantity string) string { return metric.Quantity(quantity).Many() }

// Alternatives writes quantities of which one is meant.
func Alternatives(quantities []string) string { return Enumerated(Each(Many, quantities), " or ") }

// Conjunction writes quantities that are all meant.
func Conjunction(quantities []string) string { return Enumerated(Each(Many, quantities), " and ") }

// Each applies the same to all.
func Each[T, U any](change func(T) U, all []T) []U {
	var changed []U
	for _, t := range all {
		changed = append(changed, change(t))
	}
	return changed
}

// Enumerated puts words into a sentence.
func Enumerated(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	end := len(words) - 1
	return strings.Join(words[:end], ", ") + last + words[end]
}

// Listing returns a sentence that names things of which the same is said; none: nothing.
func Listing(text string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return text + ": " + strings.Join(names, ", ") + "."
}

// Sentences joins what is not empty, each part ended by one full stop.
func Sentences(parts ...string) string {
	var sentences []string
	for _, p := range parts {
		if p != "" {
			sentences = append(sentences, strings.TrimSuffix(p, ".")+".")
		}
	}
	return strings.Join(sentences, " ")
}

// Filled leaves out texts that are empty.
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

// Gathered are names of which the same is said, in the order in which it was first said.
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

// Sentences write each text once, after or around its names.
func (g *Gathered) Sentences(format func(names, text string) string) []string {
	return Each(func(text string) string { return format(strings.Join(g.names[text], ", "), text) }, g.Said)
}

// Percent returns a small part, as people compare such.
func Percent(part float64) string {
	if math.Abs(part) < 1e-6 {
		return "0%"
	}
	return number.Significant(100*part, 2) + "%"
}

// ForServer says whose work figures of the device are, where they are not the whole device's.
func ForServer(alone bool) string {
	if alone {
		return " for this server"
	}
	return ""
}
