package runfile

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
)

// MostCounted is more than a 64-bit counter can hold. Larger values are invalid, and their sums may overflow.
const MostCounted = 1e20

// Counted reports whether a counter can have the value; NaN cannot.
func Counted(value float64) bool { return math.Abs(value) <= MostCounted }

// Possible yields records up to one with an impossible value, or without its time or name, which is an error. It is for
// files from users.
func Possible(records iter.Seq2[Record, error]) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for record, err := range records {
			if err == nil {
				err = possible(record)
			}
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

func possible(record Record) error {
	if what := untimed(record); what != "" {
		return errors.New("it has " + what + " without a time")
	}
	if what := nameless(record); what != "" {
		return errors.New("it has " + what)
	}
	switch r := record.(type) {
	case Run:
		const decade = 10 * 366 * 24 * 3600
		for _, seconds := range []float64{r.Plan.LoadSeconds, r.Plan.RestSeconds} {
			if !(seconds >= 0 && seconds <= decade) {
				return fmt.Errorf("its plan has a load or a rest of %g s", seconds)
			}
		}
	case Row:
		for i, value := range r.Values {
			if !Counted(value) {
				return uncounted(r.Names[i], value)
			}
		}
	case Reading:
		return allPossible(r.Values)
	case Total:
		return allPossible(r.Values)
	case Period:
		return allPossible(map[string]float64{r.Metric: r.Value})
	case Top:
		for _, item := range r.Items {
			if err := allPossible(item.Grew); err != nil {
				return err
			}
		}
		return allPossible(r.Total)
	}
	return nil
}

// untimed names a record that lacks a time, or ends before it begins; else empty.
func untimed(record Record) string {
	switch r := record.(type) {
	case Run:
		if r.Start.IsZero() {
			return "a run"
		}
	case Row:
		if r.At.IsZero() {
			return "a reading"
		}
	case Reading:
		if r.At.IsZero() {
			return "a reading"
		}
	case LoadEvent:
		if r.At.IsZero() {
			return "the " + string(r.Event) + " of a load"
		}
	case Work:
		if r.From.IsZero() || r.To.IsZero() {
			return "work"
		}
	case Period:
		if r.From.IsZero() || !r.To.After(r.From) {
			return "a period"
		}
	}
	return ""
}

// nameless says what a record lacks without which nobody knows what it is about; else empty.
func nameless(record Record) string {
	switch r := record.(type) {
	case Run:
		if slices.ContainsFunc(r.Plan.Loads, func(l Load) bool { return l.Name == "" }) {
			return "a plan with a load without a name"
		}
		for _, l := range r.Plan.Loads {
			if l.Idle() && (l.Clients > 0 || l.RowsPerTx > 0 || l.Job != "") { // it would count as background
				return "the load " + l.Name + " without its method"
			}
		}
	case Metric:
		switch {
		case r.Name == "":
			return "a metric without a name"
		case r.Type == "":
			return "the metric " + r.Name + " without a type"
		case r.Unit == "": // bytes would count as operations
			return "the metric " + r.Name + " without a unit"
		}
	case LoadEvent:
		switch {
		case r.Load == "":
			return "the " + string(r.Event) + " of a load without a name"
		case r.Event == "":
			return "the load " + r.Load + " without an event"
		case r.Repetition < 1:
			return "the " + string(r.Event) + " of " + r.Load + " without its repetition"
		}
	case Work:
		return ofNone("work", r.Load, r.Repetition)
	case Proof:
		return ofNone("a proof", r.Load, r.Repetition)
	case Reading:
		if r.Probe == "" {
			return "a reading without its probe"
		}
	case Row:
		if r.Probe == "" {
			return "a reading without its probe"
		}
	case Total:
		return ofNone("a total", r.Load, r.Repetition)
	case Origin:
		if r.Load == "" {
			return "an origin without the name of its load"
		}
	case Period:
		switch {
		case r.Metric == "":
			return "a period without the name of its metric"
		case r.Statistic == "":
			return "a period of " + r.Metric + " without its statistic"
		}
	}
	return ""
}

// ofNone says that a record does not name its load or its repetition; empty if it does.
func ofNone(what, load string, repetition int) string {
	switch {
	case load == "":
		return what + " without the name of its load"
	case repetition < 1:
		return what + " of " + load + " without its repetition"
	}
	return ""
}

func allPossible(values map[string]float64) error {
	for name, value := range values {
		if !Counted(value) {
			return uncounted(name, value)
		}
	}
	return nil
}

func uncounted(name string, value float64) error {
	return fmt.Errorf("%s is %g, more than any counter holds", name, value)
}
