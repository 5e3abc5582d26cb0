package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/cli/command"
)

// TestOrderSaysWhatItsRunLacks: the first paragraph of an order says that its run had fsync off, or was not measured
// idle, since the order would be another.
func TestOrderSaysWhatItsRunLacks(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile("../../testdata/runs/loads-pg17.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(string) string{
		"was not measured idle": func(run string) string {
			var kept strings.Builder
			for line := range strings.Lines(run) {
				if !strings.Contains(line, `"load":"idle"`) {
					kept.WriteString(line)
				}
			}
			return kept.String()
		},
		"fsync is off": func(run string) string { return strings.Replace(run, `"fsync":"on"`, `"fsync":"off"`, 1) },
	} {
		file := filepath.Join(t.TempDir(), "run.jsonl")
		if err := os.WriteFile(file, []byte(change(string(whole))), 0o600); err != nil {
			t.Fatal(err)
		}
		order, _, _ := strings.Cut(strings.ReplaceAll(mustRun(t, "size", file), "\n", " "), "Next cheapest")
		if !strings.HasPrefix(order, "Order: ") || !strings.Contains(order, want) {
			t.Errorf("want %q in the order: %s", want, order)
		}
	}
}

// TestOrderSaysThatItsRegionIsUnknown: a server in AWS has a region, and without it an order has the prices of another.
func TestOrderSaysThatItsRegionIsUnknown(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "orders.jsonl")
	runs(t, command.ExitDone, "history", "../../testdata/history/orders.json",
		"../../testdata/history/orders-described.json", "-o", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	order := func() string {
		return strings.Join(strings.Fields(mustRun(t, "size", file, "--gib", "500", "--on", "rds")), " ")
	}
	if got := order(); strings.Contains(got, "region is unknown") {
		t.Errorf("with its region: %s", got)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), `"region":"eu-west-1",`, "", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(order(), "Next cheapest")
	if !strings.Contains(first, "The server's region is unknown, so these are the prices of us-east-1") {
		t.Errorf("without its region: %s", first)
	}
}
