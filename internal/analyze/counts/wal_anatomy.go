package counts

import (
	"github.com/realiops/realiops/internal/series"
)

// Sources of an anatomy.
const (
	Walinspect = "pg_walinspect" // the server read its own WAL
	Waldump    = "pg_waldump"    // the program read the WAL's files
	Model      = "model"         // nobody read it: it follows from the work that our clients did
)

// Anatomy counts a repetition's WAL records by kind.
type Anatomy struct {
	Source string
	// Missing is, of a model, why the WAL was not read.
	Missing *series.Missing
	// Coverage is the share of the WAL's bytes whose records were counted one by one; 1: the parts are exact. Otherwise
	// they are scaled up, to PostgreSQL's own count where that is known. Of a model it is 0.
	Coverage float64
	Parts    []Part // those with any records
	// Sum is the total of the records, by the WAL itself or by the model.
	Sum Part
	// Counted is PostgreSQL's count of the records in pg_stat_wal; the sum's difference from it is the error of the
	// anatomy. It is NaN if they were not counted.
	Counted float64
}

// Part is a kind of record. The bounds hold it with a confidence of 95%; of an exact one they are the same.
type Part struct {
	Name      string
	Records   float64
	Low, High float64
	Bytes     float64 // NaN where they are not known
	Images    float64 // bytes of whole pages among them, where those were read
}

// Exact reports whether every record was counted one by one.
func (a Anatomy) Exact() bool { return a.Coverage == 1 }
