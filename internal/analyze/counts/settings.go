package counts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// otherwiseSet says which setting was, or may have been, another during an attempt than the head of the file has; empty: none.
func (c *collector) otherwiseSet(a *attempt) string {
	begin, end := a.begin(), a.end()
	now := map[string]runfile.SettingChange{} // as the attempt began
	for _, change := range c.run.SettingChanges {
		switch {
		case change.Setting == runfile.Tablespaces: // the load's table is in none that comes later
		case change.Since.Before(end) && change.At.After(begin):
			return fmt.Sprintf("%s changed from %s to %s meanwhile, or shortly before or after", change.Setting, change.From, change.To)
		case !change.At.After(begin):
			now[change.Setting] = change
		}
	}
	for _, name := range sortedKeys(now) {
		if was := c.run.Header.Target.Settings[name]; was != now[name].To {
			return fmt.Sprintf("%s is %s, and was %s as the run began", name, now[name].To, was)
		}
	}
	return ""
}

// ChangesText says for every output which settings did not stay as the head of the file has them.
func (r *Run) ChangesText() string {
	text := r.changes(func(c runfile.SettingChange) bool { return c.Setting != runfile.Tablespaces })
	switch {
	case text == "":
		return ""
	case r.Header.Observed:
		return "The server's settings changed while it was observed: " + text + ". What was counted before and after is not of the same server."
	default:
		return "The server's settings changed during the run: " + text + ". Repetitions under other settings than at its beginning are left out."
	}
}

// TablespacesText says for every output that tablespaces came or went after the disks of the server were looked for.
func (r *Run) TablespacesText() string {
	text := r.changes(func(c runfile.SettingChange) bool { return c.Setting == runfile.Tablespaces })
	if text == "" {
		return ""
	}
	return "Tablespaces were created or dropped meanwhile: " + text +
		". The disk of a new one is in no figure, unless the server had other files on it before. Measure again for figures with it."
}

// changes lists those that are asked for, in order.
func (r *Run) changes(asked func(runfile.SettingChange) bool) string {
	const shown = 6 // one by one
	var texts []string
	for _, c := range slices.SortedStableFunc(slices.Values(r.SettingChanges), func(a, b runfile.SettingChange) int { return a.At.Compare(b.At) }) {
		if asked(c) {
			texts = append(texts, fmt.Sprintf("%s from %s to %s by %s", c.Setting, c.From, c.To, c.At.UTC().Format("15:04:05")))
		}
	}
	if more := len(texts) - shown; more > 0 {
		texts = append(texts[:shown], fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, ", ")
}
