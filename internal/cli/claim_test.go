package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/metric"
)

// TestOneClaim: what is claimed of WriteIOPS on Aurora is one sentence, with its grounds, wherever it is made.
func TestOneClaim(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{
		"README.md":        string(readme),
		"explain":          mustRun(t, "explain", "WriteIOPS"),
		"report":           mustRun(t, "report", filepath.Join(shippedRuns, "published-senzing.jsonl.zst")),
		"size --on aurora": mustRun(t, "size", filepath.Join(shippedRuns, "loads-pg17.jsonl"), "--load", "bulk", "--on", "aurora"),
	} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), metric.WriteIOPSOnAurora) {
			t.Errorf("%s does not say: %s", where, metric.WriteIOPSOnAurora)
		}
	}
}

// TestSameNameElsewhere: services that show the same name are told apart.
func TestSameNameElsewhere(t *testing.T) {
	said := strings.Join(strings.Fields(mustRun(t, "explain", "WriteIOPS", "VolumeWriteIOPs", "--all")), " ")
	for _, service := range []string{
		"Aurora Limitless", "DocumentDB", "Neptune", "RDS of other engines", "Azure flexible server", "Cloud SQL", "Aurora MySQL",
	} {
		if !strings.Contains(said, service) {
			t.Errorf("nothing is said of %s", service)
		}
	}
	if !strings.Contains(mustRun(t, "explain", "WriteDPU"), "0.00004883") {
		t.Error("WriteDPU is not explained with its formula")
	}
	if got := 1024 * 0.00004883; got < 0.0499 || got > 0.0501 { // as AWS works it out
		t.Errorf("1,024 bytes are %g WriteDPU", got)
	}
}
