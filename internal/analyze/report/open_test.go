package report

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/report/purposes"
)

// TestTracedRequestsAreNoQuestion: if the purpose of each request was traced, the device's requests are explained,
// with and without a sum of quantities. A metric that is CannotTell stays a question.
func TestTracedRequestsAreNoQuestion(t *testing.T) {
	parts := purposes.Parts{{Part: "wal", Share: 0.5}, {Part: "empty_flushes", Share: 0.5}}
	for _, c := range []struct {
		kind  attribution.Kind
		parts purposes.Parts
		asked bool
	}{
		{attribution.Physical, parts, false}, {attribution.Physical, nil, true}, {attribution.CannotTell, parts, true},
	} {
		m := Metric{Verdict: attribution.Verdict{Kind: c.kind}, Parts: c.parts}
		if got := m.openQuestion(); (got != "") != c.asked {
			t.Errorf("%s with %d parts: %q", c.kind, len(c.parts), got)
		}
	}
}
