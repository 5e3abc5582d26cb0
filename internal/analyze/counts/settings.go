package counts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// otherwiseSet says which setting was, or may have been, another during an attempt than the head of the file has;
// empty: none.
func (b *builder) otherwiseSet(a *attempt) string {
	begin, end := a.begin(), a.end()
	now := map[string]runfile.SettingChange{} // as the attempt began
	for _, change := range b.run.SettingChanges {
		switch {
		case change.Setting == runfile.Tablespaces: // the load's table is in none that comes later
		case change.Since.Before(end) && change.At.After(begin):
			return fmt.Sprintf("%s changed from %s to %s meanwhile, or shortly before or after", change.Setting,
				change.From, change.To)
		case !change.At.After(begin):
			now[change.Setting] = change
		}
	}
	for _, name := range sortedKeys(now) {
		if was := b.run.Header.Target.Settings[name]; was != now[name].To {
			return fmt.Sprintf("%s is %s, and was %s as the run began", name, now[name].To, was)
		}
	}
	return ""
}

// ChangesText says for every output which settings did not stay as the head of the file has them, and which tablespaces
// came or went.
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
			". What was counted before and after is not of the same server. "
	} else if text != "" {
		text = "The server's settings changed during the run: " + text +
			". Repetitions under other settings than at its beginning are left out. "
	}
	if len(spaces) > 0 {
		text += "Tablespaces came or went meanwhile: " + strings.Join(spaces[:min(shown, len(spaces))], ", ") +
			". The disk of a new one is in no figure, unless the server had files on it before: measure again."
	}
	return strings.TrimSpace(text)
}
