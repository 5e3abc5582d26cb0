package sizes

import (
	"fmt"
	"math"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing/figures"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

// Check lists contradictions among figures from elsewhere, and grades them by rules.
func Check(f figures.Figures, rules figures.Rules) document.Document {
	var contradictions []string
	for _, found := range f.Check() {
		contradictions = append(contradictions, found.Text+".")
	}
	blocks := document.Together{document.Doubts(contradictions)}
	say := func(text string) { blocks = append(blocks, document.Paragraph{Text: text}) }
	switch {
	case len(contradictions) > 0:
	case f.Held():
		say("The figures agree with each other.")
	default:
		say("Nothing to check: no two of these figures depend on each other. Give iops, ms and queue; or iops, " +
			"kbps and kb; or iops and cap-iops; or mbps and cap-mbps.")
	}
	for _, of := range []struct {
		name    string
		latency float64
	}{{"Latency", f.Latency}, {"Latency of reads", f.Reads.Latency}, {"Latency of writes", f.Writes.Latency}} {
		if !math.IsNaN(of.latency) {
			say(fmt.Sprintf("%s: %s.", of.name, rules.Latency.Of(of.latency)))
		}
	}
	if !math.IsNaN(f.Queue) {
		say(fmt.Sprintf("Queue: %s, if it is one disk's queue.", rules.Queue.Of(f.Queue)))
	}
	return document.Document{Blocks: []document.Block{blocks}}
}

// TooSmall reports requests or bytes that must be something else: no request carries less than a sector.
func TooSmall(run *counts.Run) string {
	for _, n := range needs.Of(run) {
		if n.Missing == nil && n.Model == nil && n.Mean.TooSmall() {
			return fmt.Sprintf("Storage did %s requests a second, which would carry %s bytes each, but the minimum "+
				"is 512. The requests or the bytes are another metric, and figures derived from them are "+
				"wrong.", number.Rate(n.Mean.Requests()),
				number.Significant(n.Mean.Bytes()/n.Mean.Requests(), 2))
		}
	}
	return ""
}
