package counts

import (
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// Top lists the largest sources of I/O in an observation or an operation: statements, digests, files, tables or
// indexes.
type Top struct {
	Of      string
	Seconds float64            // covered by the ranking
	Items   []runfile.TopItem  // the largest first; with several parts, those of the first part come first
	Total   map[string]float64 // of all, listed or not
	Missing string             // why there are no items
}

// OfWAL ranks tables and indexes by the WAL that refers to their pages.
const OfWAL = "wal"

// WhyNoWAL returns why a server's WAL was not read, without remedies that a managed server refuses. Aurora has no
// pg_walinspect, and its users cannot be superusers, get pg_read_server_files or install anything.
func WhyNoWAL(flavor, why string) string {
	const extension = "pg_walinspect"
	switch {
	case !strings.Contains(why, extension):
		return why
	case flavor == "aurora":
		return "Aurora has no pg_walinspect, so its WAL records cannot be told apart"
	case flavor == "rds" && strings.HasPrefix(why, extension+" is not in this database"):
		return extension +
			" is not in this database; as the master user: create extension pg_walinspect; and measure as that user"
	case flavor == "rds" && (strings.Contains(why, "pg_read_server_files") || strings.Contains(why, "contrib")):
		before, _, _ := strings.Cut(why, " (")
		return before
	default:
		return why
	}
}

// Written returns the total WAL of an item.
func Written(i runfile.WALItem) (sum runfile.WALPart) {
	for _, p := range i.Parts {
		sum.Records, sum.Bytes, sum.Images, sum.ImageBytes = sum.Records+p.Records, sum.Bytes+p.Bytes, sum.Images+
			p.Images, sum.ImageBytes+p.ImageBytes
	}
	return sum
}
