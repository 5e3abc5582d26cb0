package report

import (
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/metric"
)

// one and many are what people call a counted quantity.
func one(quantity string) string  { return metric.Quantity(quantity).One() }
func many(quantity string) string { return metric.Quantity(quantity).Many() }

// alternatives writes quantities of which one is meant.
func alternatives(quantities []string) string { return enumerated(each(many, quantities), " or ") }

// conjunction writes quantities that are all meant.
func conjunction(quantities []string) string { return enumerated(each(many, quantities), " and ") }

// each applies the same to all.
func each[T, U any](change func(T) U, all []T) []U {
	var changed []U
	for _, t := range all {
		changed = append(changed, change(t))
	}
	return changed
}

// enumerated puts words into a sentence.
func enumerated(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	end := len(words) - 1
	return strings.Join(words[:end], ", ") + last + words[end]
}

// listing is a sentence that names things of which the same is said; none: nothing.
func listing(said string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return said + ": " + strings.Join(names, ", ") + "."
}

// sentences joins what is not empty, each part ended by one full stop.
func sentences(parts ...string) string {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, strings.TrimSuffix(p, ".")+".")
		}
	}
	return strings.Join(said, " ")
}

// filled leaves out texts that are empty.
func filled(texts ...string) []string {
	var all []string
	for _, t := range texts {
		if t != "" {
			all = append(all, t)
		}
	}
	return all
}

func capital(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// few are the first of many names, and how many more there are.
func few(names []string) []string {
	const shown = 4
	if n := len(names) - shown; n > 1 {
		return append(append([]string{}, names[:shown]...), strconv.Itoa(n)+" more")
	}
	return names
}

// gathered are names of which the same is said, in the order in which it was first said.
type gathered struct {
	said  []string
	names map[string][]string
}

func (g *gathered) add(text, name string) {
	if g.names == nil {
		g.names = map[string][]string{}
	}
	if g.names[text] == nil {
		g.said = append(g.said, text)
	}
	g.names[text] = append(g.names[text], name)
}

// sentences write each text once, after or around its names.
func (g *gathered) sentences(format func(names, text string) string) []string {
	return each(func(text string) string { return format(strings.Join(g.names[text], ", "), text) }, g.said)
}

// counted is a number of things.
func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}
