package cost

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/printable"
)

// Refuse returns why a base cannot be compared with a cost: another operation was measured, or in another way. now may
// be incomplete.
func (b Compared) Refuse(now Cost) error {
	is, was := now.Operation, b.Cost.Operation
	type differing struct {
		name    string
		was, is any
	}
	all := []differing{
		{"another command", was.Text, is.Text},
		{"another plan: --first-touch", was.FirstTouch, is.FirstTouch},
		{"another plan: --transactions", max(1, was.Times), max(1, is.Times)},
		{"another plan: --warmup", was.Warmup, is.Warmup},
	}
	if now.Server != "" {
		all = append(all, []differing{
			{"another version", major(b.Cost.Server), major(now.Server)},
			{"other settings: block_size", b.Cost.Settings["block_size"], now.Settings["block_size"]},
			{"other settings: wal_level", b.Cost.Settings["wal_level"], now.Settings["wal_level"]},
		}...)
	}
	for _, v := range all {
		if v.was != v.is {
			return fmt.Errorf("%s is a base of %s: %s there, %s here; measure again", b.File, v.name, known(v.was), known(v.is))
		}
	}
	return nil
}

// known formats a value for a message; an empty one is not recorded.
func known(value any) string { return cmp.Or(printable.Line(fmt.Sprint(value)), "not known") }

// major returns a version without its minor number.
func major(server string) string {
	version, _, _ := strings.Cut(server, ".")
	return version
}

// changing returns the settings that affect the cost of an operation.
func changing(settings map[string]string) map[string]string {
	relevant := map[string]string{}
	for _, name := range []string{"block_size", "wal_level", "full_page_writes", "wal_compression", "data_checksums",
		"fsync", "synchronous_commit", "wal_sync_method"} {
		if value, known := settings[name]; known {
			relevant[name] = value
		}
	}
	return relevant
}

// Differs names the settings that differ from the base, and may have changed some counts.
func (b Compared) Differs(now Cost) string {
	var all []string
	settings := map[string]string{}
	maps.Copy(settings, now.Settings)
	maps.Copy(settings, b.Cost.Settings)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if was, is := b.Cost.Settings[name], now.Settings[name]; was != is {
			all = append(all, fmt.Sprintf("%s (%s there, %s here)", name, known(was), known(is)))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "The server of " + b.File + " had other settings: " + strings.Join(all, ", ")
}

// Change compares a count with its base.
type Change struct {
	Base  float64 // median
	Ratio float64 // of the medians
	Clear bool    // the repetitions of both overlap by no more than chance explains
	Why   string  // why there is none
	more  float64
}

// Of returns the change of a count.
func (b Compared) Of(c Count) Change {
	base, counted := b.Cost.Find(c.Name)
	switch {
	case c.Missing != "":
		return Change{Why: c.Missing}
	case !counted || base.Missing != "":
		return Change{Why: "it was not counted in " + b.File}
	}
	ratio := c.Median / base.Median
	if c.Median == base.Median {
		ratio = 1
	}
	more := beyond(c.Runs, base.Runs, Allowance{})
	fewer := beyond(base.Runs, c.Runs, Allowance{})
	return Change{Base: base.Median, Ratio: ratio, Clear: max(more, fewer) >= clearly, more: c.Median - base.Median}
}

// Text formats the change: the amount, and its share.
func (c Change) Text() string {
	switch {
	case c.Ratio == 1:
		return "same"
	case !c.Clear:
		return "~"
	case math.IsInf(c.Ratio, 0):
		return signed(c.more)
	default:
		return fmt.Sprintf("%s (%+.1f%%)", signed(c.more), 100*(c.Ratio-1))
	}
}
