package account

import (
	"fmt"
	"strings"
)

// Text describes the calls in a few lines with their list price, or is empty without calls.
func Text(calls []Call) string {
	if len(calls) == 0 {
		return ""
	}
	var parts, unknown []string
	total, priced := 0.0, 0
	for _, c := range calls {
		parts = append(parts, callText(c))
		usd, known := c.ListPrice()
		if !known {
			unknown = append(unknown, c.Service+":"+c.Operation)
			continue
		}
		total, priced = total+usd, priced+1
	}
	text := "AWS was asked: " + strings.Join(parts, ", ") + "."
	if priced > 0 {
		cost := fmt.Sprintf("%.5f USD", total)
		if total == 0 { // keep a tiny cost apart from zero
			cost = "nothing"
		}
		text += " By the price list of us-east-1, before any free allowance: " + cost
		if len(unknown) > 0 {
			text += "; the price of " + strings.Join(unknown, ", ") + " is not known here"
		}
		text += "."
	}
	return text
}

func callText(c Call) string {
	text := fmt.Sprintf("%s:%s %d×", c.Service, c.Operation, c.Count)
	var beside []string
	add := func(n int, one, more string) {
		switch {
		case n == 1:
			beside = append(beside, "1 "+one)
		case n > 1:
			beside = append(beside, fmt.Sprintf("%d %s", n, more))
		}
	}
	if c.Price.Unit == "metric" {
		add(c.Billed, "metric", "metrics")
	}
	add(c.Retries, "further try", "further tries")
	add(c.Failures, "failed", "failed")
	if len(beside) > 0 {
		text += " (" + strings.Join(beside, ", ") + ")"
	}
	return text
}
