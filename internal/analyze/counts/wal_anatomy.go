package counts

import (
	"github.com/realiops/realiops/internal/series"
)

// Sources of an anatomy.
const (
	Walinspect = "pg_walinspect" // the server read its own WAL
	Waldump    = "pg_waldump"    // the program read the WAL's files
	Model      = "model"         // nobody read it: computed from our clients' work
)

// Anatomy counts a repetition's WAL records by kind.
type Anatomy struct {
	Source string
	// Missing is why a model was used: the WAL was not read.
	Missing *series.Missing
	// Coverage is the share of the WAL's bytes whose records were counted one by one. If it is 1, the parts are exact.
	// Otherwise they are scaled up, to PostgreSQL's own count if known. It is 0 for a model.
	Coverage float64
	Parts    []Part // those with any records
	// Sum is the total of the records.
	Sum Part
	// Counted is the number of records in pg_stat_wal; its difference from Sum is the error of the anatomy. NaN if not
	// counted.
	Counted float64
}

// Part is a kind of record. Low and High are its 95% interval, equal if it is exact.
type Part struct {
	Name               string
	Records, Low, High float64
	Bytes              float64 // NaN if unknown
	Images             float64 // bytes of full-page images among them, if read
}

// Exact reports whether every record was counted one by one.
func (a Anatomy) Exact() bool { return a.Coverage == 1 }
