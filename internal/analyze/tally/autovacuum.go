package tally

import (
	"fmt"

	"github.com/realiops/realiops/internal/runfile"
)

// vacuumed sums up autovacuum's writes in the used repetitions.
type vacuumed struct {
	repetitions int
	runfile.Autovacuum
}

func (v *vacuumed) add(wrote runfile.Autovacuum) {
	v.repetitions++
	v.Rows += wrote.Rows
	v.WALBytes += wrote.WALBytes
}

// text describes the writes; empty if there were none.
func (v vacuumed) text() string {
	if v.repetitions == 0 {
		return ""
	}
	during := "a repetition"
	if v.repetitions > 1 {
		during = fmt.Sprintf("%d repetitions", v.repetitions)
	}
	text := "Autovacuum worked during " + during
	if v.Rows > 0 {
		text += fmt.Sprintf(" and wrote %d rows of statistics", v.Rows)
	}
	if v.WALBytes > 0 {
		text += fmt.Sprintf(" and %.3g MB of WAL", float64(v.WALBytes)/1e6)
	}
	return text + ": it is the server's own, and is in every count"
}
