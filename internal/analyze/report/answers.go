package report

import (
	"fmt"
	"slices"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// answers are the whole page in short.
func (r Report) answers(size *sizes.Size, unsized error) document.Answers {
	return document.Answers{
		{Question: "Which number was real?", Texts: r.realNumbers()},
		{Question: "What do I buy?", Texts: r.buy(size, unsized)},
		{Question: "What does it cost?", Texts: costs(size)},
		{Question: "How sure is this?", Texts: r.sureness(size)},
	}
}

// realNumbers names what is storage I/O among what the first screen shows, and what is not.
func (r Report) realNumbers() []string {
	first, _ := r.firstScreen()
	of := func(kind attribution.Kind, word string) string {
		return words.Listing(word, first.Metrics.namesOf(func(m Metric) bool { return m.Kind == kind }))
	}
	texts := words.Filled(
		of(attribution.Physical, "Storage I/O"),
		of(attribution.Requested, "Asked of the operating system, where a cache may answer"),
		of(attribution.NotLogical, "Asked of the operating system or done by storage, or some of both"),
		of(attribution.Logical, "Not storage I/O, whatever it is called"),
		of(attribution.Mixed, "Some of both"),
		of(attribution.CannotTell, "This run cannot tell"))
	if len(texts) == 0 {
		return []string{"This run does not say: no metric got a verdict."}
	}
	return texts
}

// buy is the cheapest option, and what it was chosen for.
func (r Report) buy(size *sizes.Size, unsized error) []string {
	switch {
	case size == nil && unsized != nil:
		return []string{"Not to be told from this run: " + unsized.Error() + "."}
	case size == nil:
		return []string{"Not to be told from this run."}
	}
	best := size.Order
	if best == nil {
		return []string{"No volume that is known here carries " + size.Sized.Demand() + size.Sized.Behind() + "."}
	}
	speed := "at the speed that it was driven at"
	if r.Observed != nil {
		speed = "as it was seen here"
	}
	whose := size.Sized.Load + " is this run's load"
	if len(size.Sized.Runs) > 1 {
		whose = "Each number is that of the load which asked for most of it"
	}
	texts := []string{
		fmt.Sprintf("%s: the cheapest of what is known here to carry %s.", best.Text(), size.Sized.Demand()),
		fmt.Sprintf("%s, %s. For yours: realiops size with --load, --rows-per-second, --gib and --class.", whose, speed),
	}
	if slices.ContainsFunc(size.Standing(sizing.Unknown), func(o sizes.SizeOption) bool { return o.Carries == nil }) {
		texts = append(texts, "Aurora stands below without limits of its storage: none are published, and its machine sets them.")
	}
	return texts
}

// costs are those of the cheapest option, and of what the wrong number would have led to.
func costs(size *sizes.Size) []string {
	if size == nil {
		return []string{"Nothing is known to order, so nothing is known of its price."}
	}
	var texts []string
	if best := size.Order; best != nil && best.Monthly != nil {
		texts = append(texts, fmt.Sprintf("%s %s a month for %s.", number.Rate(*best.Monthly), best.Currency, best.Title))
	}
	return append(texts, words.Filled(size.MisreadText())...)
}

// sureness says what the answers rest on.
func (r Report) sureness(size *sizes.Size) []string {
	var texts []string
	if h := r.Headline; h != nil && h.Quiet.Quantity != "" && h.Quiet.PerSecond.Known() {
		texts = append(texts, fmt.Sprintf("%s vary by %s from one repetition of %s to the next.", words.Capital(words.Many(h.Quiet.Quantity)), h.Quiet.PerSecond.PlusMinus(), h.Load))
	}
	texts = append(texts, r.verdictsReached())
	if size != nil {
		texts = append(texts, words.Filled(size.SpreadOfNeed())...)
		texts = append(texts, size.Warnings...)
		texts = append(texts, "Prices are those of the sources below, as of the dates that stand there; --price takes yours.")
	}
	if slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Condition && w.Rank != document.Note }) {
		texts = append(texts, "The caution above holds for every number here.")
	}
	return texts
}

// verdictsReached counts verdicts of what the first screen shows.
func (r Report) verdictsReached() string {
	first, _ := r.firstScreen()
	told, judged, loads := 0, 0, 0
	for _, m := range first.Metrics {
		if m.Missing != nil || m.Silent() {
			continue
		}
		judged++
		if !m.CannotTell() {
			told++
		}
		if m.PerUnit != nil {
			loads = max(loads, m.PerUnit.N)
		}
	}
	if judged == 0 {
		return "No metric got a verdict."
	}
	text := fmt.Sprintf("%d of the %d metrics shown here got a verdict", told, judged)
	switch {
	case loads == 1:
		text += fmt.Sprintf(", on one kind of load; each ratio has its %s interval", r.Metrics.interval())
	case loads > 1:
		text += fmt.Sprintf(", on up to %d kinds of load; each ratio has its %s interval", loads, r.Metrics.interval())
	}
	return text + "."
}
