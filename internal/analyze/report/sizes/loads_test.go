package sizes_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/tally"
)

// TestOrderSaysWhatItIsFor: which load was chosen, and which reads are not in it. In the default run wide moved the most
// bytes of those whose table is in memory (144 MB/s), and point-cold made 7,206 requests/s.
func TestOrderSaysWhatItIsFor(t *testing.T) {
	const chosen, cold = "The order is for wide, which moved the most bytes", "point-cold, whose table does not fit in memory, made 7,206 requests/s"
	const none = "This load reads almost nothing: if your data does not fit in memory, this order is too small"
	for _, c := range []struct {
		run, load string
		says      []string
	}{
		{"default-pg17.jsonl.zst", "", []string{chosen, cold}},
		{"default-pg17.jsonl.zst", "bulk", []string{none}},
		{"default-pg17.jsonl.zst", "point-cold", nil},
		{"loads-pg17.jsonl", "", []string{chosen}}, // its reads were not recorded, which is said elsewhere
	} {
		run, err := tally.FromFile("../../../../testdata/runs/" + c.run)
		if err != nil {
			t.Fatal(err)
		}
		s, err := sizing.Size(sizing.Ask{GiB: 100, Load: c.load}, run)
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(sizes.NewSize(s).Cautions, "\n")
		for _, text := range []string{chosen, cold, none} {
			if want := slices.Contains(c.says, text); strings.Contains(said, text) != want {
				t.Errorf("%s --load %q says %q: %v, want %v; all it says:\n%s", c.run, c.load, text, !want, want, said)
			}
		}
	}
}
