package tally

import (
	"fmt"
	"maps"
	"slices"

	"github.com/realiops/realiops/internal/runfile"
)

// changedSetting returns how a setting differed, or may have differed, during an attempt from the head of the file;
// empty if none did.
func (b *builder) changedSetting(a *attempt) string {
	begin, end := a.begin(), a.end()
	now := map[string]runfile.SettingChange{} // at the begin of the attempt
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
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if was := b.run.Header.Target.Settings[name]; was != now[name].To {
			return fmt.Sprintf("%s is %s, and was %s as the run began", name, now[name].To, was)
		}
	}
	return ""
}
