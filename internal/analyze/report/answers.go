package report

import (
	"fmt"
	"slices"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// answers are the whole page in short.
func (r Report) answers(size *Size, unsized error) document.Answers {
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
		return listing(word, first.namesOf(func(m Metric) bool { return m.Kind == kind }))
	}
	texts := filled(
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
func (r Report) buy(size *Size, unsized error) []string {
	switch {
	case size == nil && unsized != nil:
		return []string{"Not to be told from this run: " + unsized.Error() + "."}
	case size == nil:
		return []string{"Not to be told from this run."}
	}
	best := size.Order
	if best == nil {
		return []string{"No volume that is known here carries " + size.load() + size.behind() + "."}
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
		fmt.Sprintf("%s: the cheapest of what is known here to carry %s.", best.text(), size.load()),
		fmt.Sprintf("%s, %s. For yours: realiops size with --load, --rows-per-second, --gib and --class.", whose, speed),
	}
	if slices.ContainsFunc(size.standing(sizing.Unknown), func(o SizeOption) bool { return o.Carries == nil }) {
		texts = append(texts, "Aurora stands below without limits of its storage: none are published, and its machine sets them.")
	}
	return texts
}

// behind names the machine that was asked for.
func (s Size) behind() string {
	if s.Sized.Instance == "" {
		return ""
	}
	return " behind one " + s.machine()
}

// load is what was sized for.
func (s Size) load() string {
	return fmt.Sprintf("%s requests and %s MB a second (%s, with %.0f %% of headroom) on %s GiB",
		number.Rate(s.Sized.Rate.Requests), number.Rate(s.Sized.Rate.Bytes/number.Mega), s.sizedLoad(), s.Sized.Headroom, number.Grouped(s.Sized.GiB, 0))
}

// costs are those of the cheapest option, and of what the wrong number would have led to.
func costs(size *Size) []string {
	if size == nil {
		return []string{"Nothing is known to order, so nothing is known of its price."}
	}
	var texts []string
	if best := size.Order; best != nil && best.Monthly != nil {
		texts = append(texts, fmt.Sprintf("%s %s a month for %s.", number.Rate(*best.Monthly), best.Currency, best.Title))
	}
	return append(texts, filled(size.misreadText())...)
}

// sureness says what the answers rest on.
func (r Report) sureness(size *Size) []string {
	var texts []string
	if h := r.Headline; h != nil && h.Quiet.Quantity != "" && h.Quiet.PerSecond.Known() {
		texts = append(texts, fmt.Sprintf("%s vary by %s from one repetition of %s to the next.", capital(many(h.Quiet.Quantity)), h.Quiet.PerSecond.plusMinus(), h.Load))
	}
	texts = append(texts, r.verdictsReached())
	if size != nil {
		texts = append(texts, filled(size.spreadOfNeed())...)
		texts = append(texts, size.Warnings...)
		texts = append(texts, "Prices are those of the sources below, as of the dates that stand there; --price takes yours.")
	}
	if slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Condition && w.Rank != document.Note }) {
		texts = append(texts, "The caution above holds for every number here.")
	}
	return texts
}

// spreadOfNeed is how far apart the repetitions lie of what was sized for; empty: there is only one, or a model.
func (s Size) spreadOfNeed() string {
	need := s.sizedNeed()
	if need == nil || need.Lowest == nil || need.Model != "" || *need.Lowest == *need.Highest {
		return ""
	}
	return fmt.Sprintf("%s asked for %s to %s requests and %s to %s MB a second, on average over each of its repetitions.", need.Load,
		number.Rate(need.Lowest.Requests), number.Rate(need.Highest.Requests), number.Rate(need.Lowest.Bytes/number.Mega), number.Rate(need.Highest.Bytes/number.Mega))
}

// verdictsReached counts verdicts of what the first screen shows.
func (r Report) verdictsReached() string {
	first, _ := r.firstScreen()
	told, judged, loads := 0, 0, 0
	for _, m := range first.Metrics {
		if m.Missing != nil || m.silent() {
			continue
		}
		judged++
		if !m.cannotTell() {
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
		text += fmt.Sprintf(", on one kind of load; each ratio has its %s interval", r.interval())
	case loads > 1:
		text += fmt.Sprintf(", on up to %d kinds of load; each ratio has its %s interval", loads, r.interval())
	}
	return text + "."
}
