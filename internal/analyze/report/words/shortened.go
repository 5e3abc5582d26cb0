package words

import (
	"fmt"
	"strings"
)

// mostNames is the number of names in one line of the list.
const mostNames = 6

// Shortened returns names without the prefix that they share with the one before: "pg_stat_wal.wal_write, wal_sync".
func Shortened(names []string) string {
	var all []string
	before := ""
	for i, name := range names {
		if i == mostNames && len(names) > mostNames+1 {
			all = append(all, fmt.Sprintf("%d more", len(names)-i))
			break
		}
		view, rest := name, ""
		if at := strings.IndexAny(name, ". "); at > 0 && !strings.HasPrefix(name, "CloudWatch") {
			view, rest = name[:at+1], name[at+1:]
		}
		if rest != "" && view == before {
			name = rest
		}
		all, before = append(all, name), view
	}
	return strings.Join(all, ", ")
}
