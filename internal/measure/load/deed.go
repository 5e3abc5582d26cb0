package load

import (
	"errors"
	"fmt"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/printable"
)

type deed struct {
	rows, updated, deleted int64 // written in total, and of these updated and deleted
	returned, lookups      int64 // rows read, and descents of an index
	sent                   int64 // rows that the server sends
}

func (t transaction) deed() deed {
	switch n := int64(t.load.RowsPerTx); t.load.Method {
	case Lookup:
		return deed{returned: 1, lookups: 1, sent: 1}
	case Range, Bitmap:
		return deed{returned: n, lookups: 1, sent: n}
	case Join:
		return deed{returned: n, lookups: n, sent: 1}
	case Scan, Sort:
		return deed{returned: t.load.TableRows, sent: 1}
	case Update:
		return deed{rows: 1, updated: 1, returned: 1, lookups: 1}
	case LookupUpdate:
		return deed{rows: 1, updated: 1, returned: 2, lookups: 2, sent: 1}
	case Replace:
		return deed{rows: 2 * n, deleted: n, returned: n, lookups: 1}
	default:
		return deed{rows: n}
	}
}

var (
	errMiscount = errors.New("the server confirmed a different number of rows than were sent")
	errMisread  = errors.New("the server returned a different number of rows than were requested")
)

// confirm returns an error if the server confirmed another number of rows than the clients sent.
func (w *Workload) confirm(t engine.Totals) error {
	each := w.deed()
	if asked := t.Transactions * each.rows; t.Rows != asked {
		return fmt.Errorf("%w: %s of %s", errMiscount, printable.Count(t.Rows), printable.Count(asked))
	}
	if asked := t.Transactions * each.sent; t.Returned != asked {
		return fmt.Errorf("%w: %s of %s", errMisread, printable.Count(t.Returned), printable.Count(asked))
	}
	return nil
}
