package report

import (
	"fmt"
	"slices"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// orderSection is what to order, for a page that was asked: nothing where nobody asked.
func (r Report) orderSection(size *sizes.Size, unsized error) document.Block {
	if size == nil && unsized == nil {
		return nil
	}
	order, sources := sizes.OrderBlocks(size)
	return document.Section{Title: "What to order", Blocks: []document.Block{
		document.Answers{
			{Question: "What do I buy?", Texts: r.buy(size, unsized)},
			{Question: "What does it cost?", Texts: costs(size)},
			{Question: "How sure is this?", Texts: r.sureness(size)},
		},
		document.Folded(order...), document.Folded(sources), document.Notes{},
	}}
}

// buy is the cheapest option, and what it was chosen for.
func (r Report) buy(size *sizes.Size, unsized error) []string {
	switch {
	case size == nil:
		return []string{"This run cannot tell: " + unsized.Error() + "."}
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
		texts = append(texts, "Aurora has no limits of its storage here: none are published, and its machine sets them.")
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
	if size != nil {
		texts = append(texts, words.Filled(size.SpreadOfNeed())...)
		texts = append(texts, size.Warnings...)
		texts = append(texts, "Prices are list prices, as of the dates beside their sources; --price takes yours.")
	}
	if slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Condition && w.Rank != document.Note }) {
		texts = append(texts, "The caution at the top holds for every number here.")
	}
	return texts
}
