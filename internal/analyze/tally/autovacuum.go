package tally

import (
	"fmt"

	"github.com/realiops/realiops/internal/printable"
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
	text := "Autovacuum worked during " + printable.Counted(v.repetitions, "repetition")
	if v.Rows > 0 {
		text += " and wrote " + printable.Count(v.Rows) + " rows of statistics"
	}
	if v.WALBytes > 0 {
		text += fmt.Sprintf(" and %.3g MB of WAL", float64(v.WALBytes)/1e6)
	}
	return text + ". The counts include it."
}
