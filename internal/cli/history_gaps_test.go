package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

// TestHistoryWithoutFlushes: where a kernel counts no flushes, as before Linux 5.5, the size is for all requests, and says what that leaves
// open.
func TestHistoryWithoutFlushes(t *testing.T) {
	t.Parallel()
	planted, _, last := prometheustest.Observation(t, observed)
	older := slices.DeleteFunc(slices.Clone(planted), func(s prometheustest.Series) bool { return strings.HasPrefix(s.Name, "node_disk_flush") })
	sized := func(series []prometheustest.Series) (text string, size report.Size) {
		path := filepath.Join(t.TempDir(), "through.jsonl")
		runs(t, exitDone, "history", "--prometheus", prometheustest.Start(t, series...), "--until", last.Add(time.Second).Format(time.RFC3339), "--for", "1h", "-o", path)
		out, _ := runs(t, exitDone, "size", path)
		return strings.Join(strings.Fields(out), " "), sizedOf(t, path)
	}
	_, with := sized(planted)
	text, without := sized(older)
	cents(t, "requests, of which nobody knows how many are flushes", without.Sized.Rate.Requests, with.Sized.Rate.Requests+with.Sized.Rate.Flushes)
	if with.Sized.Rate.Flushes == 0 || !strings.Contains(text, "Flushes: its source counts none") {
		t.Errorf("what it leaves open is not said: %s", text)
	}
}
