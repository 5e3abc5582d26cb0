package counts

import (
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// Top lists what caused the most I/O in an observation or an operation: statements, digests, files, tables or indexes.
type Top struct {
	Of      string
	Seconds float64            // that it was looked at
	Items   []runfile.TopItem  // the first of all; where there are several parts, those of the first part come first
	Total   map[string]float64 // what all did together
	Missing string             // why there are no items
}

// OfWAL is a ranking of tables and indexes by the WAL that names their pages.
const OfWAL = "wal"

// WhyNoWAL returns why a server's WAL was not read, without a remedy that a managed server refuses: Aurora has no
// pg_walinspect, and nobody is a superuser there, gets pg_read_server_files or installs anything.
func WhyNoWAL(flavor, why string) string {
	const extension = "pg_walinspect"
	switch {
	case !strings.Contains(why, extension):
		return why
	case flavor == "aurora":
		return "Aurora has no pg_walinspect, so nothing there tells WAL records apart"
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

// Written returns all that the WAL holds of an item.
func Written(i runfile.WALItem) (sum runfile.WALPart) {
	for _, p := range i.Parts {
		sum.Records, sum.Bytes, sum.Images, sum.ImageBytes = sum.Records+p.Records, sum.Bytes+p.Bytes, sum.Images+
			p.Images, sum.ImageBytes+p.ImageBytes
	}
	return sum
}
