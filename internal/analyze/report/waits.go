package report

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/analyze/drivers"
)

// Wait is how many sessions waited for something, on average over an arm's loads.
type Wait struct {
	Event    string  `json:"event"` // empty: all sessions together, those at work among them
	Sessions float64 `json:"sessions"`
}

func waits(a drivers.Arm) (all []Wait) {
	for _, w := range a.Waits {
		all = append(all, Wait(w))
	}
	return all
}

// waitsTitle is what Performance Insights answers.
const waitsTitle = "Where time went, by Performance Insights"

// waitLines has a line for each arm of which it is known.
func (r Report) waitLines() (lines []string) {
	const most = 3
	for _, a := range r.Arms {
		if len(a.Waits) == 0 {
			continue
		}
		var events []string
		for _, w := range a.Waits[1:min(len(a.Waits), 1+most)] {
			events = append(events, fmt.Sprintf("%s %s", w.Event, quotient(w.Sessions)))
		}
		lines = append(lines, strings.TrimSuffix(fmt.Sprintf("%s: %s sessions at work or waiting: %s", a.Name, quotient(a.Waits[0].Sessions), strings.Join(events, ", ")), ": "))
	}
	return lines
}

func (r Report) waitsText(width int) string {
	lines := r.waitLines()
	if len(lines) == 0 {
		return ""
	}
	text := []string{waitsTitle, ""}
	for _, l := range lines {
		text = append(text, bulleted("- ", l, width))
	}
	return strings.Join(text, "\n")
}
