package tally

import (
	"fmt"
	"maps"
	"slices"

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
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if was := b.run.Header.Target.Settings[name]; was != now[name].To {
			return fmt.Sprintf("%s is %s, and was %s as the run began", name, now[name].To, was)
		}
	}
	return ""
}
