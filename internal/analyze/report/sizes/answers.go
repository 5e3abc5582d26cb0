package sizes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// Section shows what to order on the page of a run, with what the page knows about its uncertainty; nil if nobody
// asked.
func Section(size *Size, unsized error, observed bool, sure []string) document.Block {
	if size == nil && unsized == nil {
		return nil
	}
	order, sources := OrderBlocks(size)
	if size != nil {
		if said, ok := order[0].(document.Together); ok && size.Order != nil {
			order[0] = said[1:] // the answers begin with the order
		}
		sure = slices.Concat(sure, words.Filled(size.SpreadOfNeed()),
			[]string{"Prices are list prices, as of the dates beside their sources. To use yours, pass --price."})
	}
	return document.Titled("What to order", document.Answers{
		{Question: "What do I buy?", Texts: buy(size, unsized, observed)},
		{Question: "What does it cost?", Texts: costs(size)},
		{Question: "How sure is this?", Texts: sure},
	}, document.Folded(order...), document.Folded(sources), document.Notes{})
}

// buy describes the cheapest option, and the need it was chosen for.
func buy(size *Size, unsized error, observed bool) []string {
	if size == nil {
		return []string{words.Sentences(words.Capital(unsized.Error()))}
	}
	best := size.Order
	if best == nil {
		return []string{"No known volume carries " + size.Sized.Demand() + size.Sized.Behind() + "."}
	}
	speed := "at the speed that it ran"
	if observed {
		speed = "as observed"
	}
	basis := size.Sized.Load + " is this run's load"
	if len(size.Sized.Runs) > 1 {
		basis = "Each number is from the load that needed most"
	}
	texts := []string{
		words.Sentences(strings.TrimPrefix(size.orderText(), "Order: "),
			"It is the cheapest known storage that carries "+size.Sized.Demand()),
		fmt.Sprintf("%s, %s. For yours: realiops size with --load, --rows-per-second, --gib and "+
			"--class.", basis, speed),
	}
	if slices.ContainsFunc(size.Standing(sizing.Unknown), func(o SizeOption) bool { return o.Carries == nil }) {
		texts = append(texts, "Aurora's storage has no published limits; the machine sets them.")
	}
	return texts
}

// costs describes the cost of the cheapest option, and of the order that the wrong number would suggest.
func costs(size *Size) []string {
	if size == nil {
		return []string{"No order, so no price."}
	}
	var texts []string
	if best := size.Order; best != nil && best.Monthly != nil {
		texts = append(texts, fmt.Sprintf("%s %s a month for %s.", number.Rate(*best.Monthly),
			best.Currency, best.Title))
	}
	return append(texts, words.Filled(size.MisreadText())...)
}
