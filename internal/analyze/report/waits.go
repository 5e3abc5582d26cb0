package report

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
)

// waitSection shows the waits from Performance Insights, a line per load that has them.
func (l Loads) waitSection() document.Block {
	const most = 3
	var lines document.List
	for _, a := range l {
		if len(a.Waits) == 0 {
			continue
		}
		line := fmt.Sprintf("%s: %s sessions at work or waiting", a.Name, number.Ratio(a.Waits[0].Sessions))
		var events []string
		for _, w := range a.Waits[1:min(len(a.Waits), 1+most)] {
			events = append(events, w.Event+" "+number.Ratio(w.Sessions))
		}
		if len(events) > 0 {
			line += ": " + strings.Join(events, ", ")
		}
		lines = append(lines, line)
	}
	return document.Section{Title: "Where time went, by Performance Insights (CloudWatch Database Insights)",
		Blocks: []document.Block{lines}}
}
