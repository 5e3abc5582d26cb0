package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/metric"
)

// TestOneClaim: every output makes the same claim about WriteIOPS on Aurora, with its grounds.
func TestOneClaim(t *testing.T) {
	t.Parallel()
	said := map[string]string{
		"explain": mustRun(t, "explain", "WriteIOPS"),
		"size --on aurora": mustRun(t, "size", filepath.Join(shippedRuns, "loads-pg17.jsonl"), "--load", "bulk",
			"--on", "aurora"),
		"size --from-metric": mustRun(t, "size", "--from-metric", "WriteIOPS=800000", "--flavor", "aurora"),
	}
	for _, page := range []string{"README.md", "docs/evidence.md", "docs/reference/dictionary.md"} {
		text, err := os.ReadFile(filepath.Join("../..", page))
		if err != nil {
			t.Fatal(err)
		}
		said[page] = string(text)
	}
	for _, run := range []string{"published-senzing.jsonl.zst", "published-aurora.jsonl", "published-digitized.jsonl",
		"published-steps.jsonl"} {
		said[run] = mustRun(t, "report", filepath.Join(shippedRuns, run))
		said[run+" --all"] = mustRun(t, "report", filepath.Join(shippedRuns, run), "--all")
		said[run+" as a page"] = mustRun(t, "report", filepath.Join(shippedRuns, run), "--format", "html")
	}
	for where, text := range said {
		if n := strings.Count(strings.Join(strings.Fields(text), " "), metric.WriteIOPSOnAurora); n != 1 {
			t.Errorf("%s says %d times: %s", where, n, metric.WriteIOPSOnAurora)
		}
	}
	excluded := strings.Join(strings.Fields(said["published-senzing.jsonl.zst"]), " ")
	for _, figure := range []string{"does not count rows or rows+index entries (at equal rows 4.7% more in " +
		"20260828-loadonly-hnsw)", "nor commits (the ratio varies", "may be WAL bytes"} {
		if !strings.Contains(excluded, figure) {
			t.Errorf("the report does not say %q", figure)
		}
	}
}

// TestSameNameElsewhere: services with the same metric name are told apart.
func TestSameNameElsewhere(t *testing.T) {
	t.Parallel()
	said := strings.Join(strings.Fields(mustRun(t, "explain", "WriteIOPS", "VolumeWriteIOPs", "--all")), " ")
	for _, service := range []string{
		"Aurora Limitless", "DocumentDB", "Neptune", "RDS of other engines", "Azure flexible server", "Cloud SQL",
		"Aurora MySQL",
	} {
		if !strings.Contains(said, service) {
			t.Errorf("nothing is said of %s", service)
		}
	}
	if !strings.Contains(mustRun(t, "explain", "WriteDPU"), "0.00004883") {
		t.Error("WriteDPU is not explained with its formula")
	}
	if got := 1024 * 0.00004883; got < 0.0499 || got > 0.0501 { // as AWS computes it
		t.Errorf("1,024 bytes are %g WriteDPU", got)
	}
}
