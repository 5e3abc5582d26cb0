package counts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// ChangesText says, for all outputs, which settings changed from the head of the file, and which tablespaces came or
// went.
func (r *Run) ChangesText() string {
	const shown = 6 // one by one
	var texts, spaces []string
	for _, c := range slices.SortedStableFunc(slices.Values(r.SettingChanges), func(a, b runfile.SettingChange) int {
		return a.At.Compare(b.At)
	}) {
		if text := fmt.Sprintf("from %s to %s by %s", c.From, c.To, c.At.UTC().Format("15:04:05")); c.Setting ==
			runfile.Tablespaces {
			spaces = append(spaces, text)
		} else {
			texts = append(texts, c.Setting+" "+text)
		}
	}
	if more := len(texts) - shown; more > 0 {
		texts = append(texts[:shown], fmt.Sprintf("%d more", more))
	}
	text := strings.Join(texts, ", ")
	if text != "" && r.Header.Observed {
		text = "The server's settings changed while it was observed: " + text +
			". Counts before and after the change are not comparable. "
	} else if text != "" {
		text = "The server's settings changed during the run: " + text +
			". Repetitions with changed settings are left out. "
	}
	if len(spaces) > 0 {
		text += "Tablespaces were added or removed meanwhile: " + strings.Join(spaces[:min(shown, len(spaces))], ", ") +
			". A new tablespace's disk is missing from all figures unless the server already used it. Measure again."
	}
	return strings.TrimSpace(text)
}
