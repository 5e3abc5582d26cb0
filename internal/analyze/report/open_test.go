package report

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/report/purposes"
)

// TestWhatIsCountedByPartsIsNoQuestion: where the kernel told what each request was for, it is known what the device's
// requests are, with and without a sum of quantities beside that. A metric that cannot be told stays a question.
func TestWhatIsCountedByPartsIsNoQuestion(t *testing.T) {
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
