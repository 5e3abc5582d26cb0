package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/runfile"
)

// TestAutovacuumIsTheServersOwn: autovacuum's writes are not other sessions' work, however large
// their share on an idle server.
func TestAutovacuumIsTheServersOwn(t *testing.T) {
	rows := func(n int64, share float64) *runfile.Others { return &runfile.Others{Rows: n, RowsShare: share} }
	for name, check := range map[string]struct {
		did      *runfile.Others
		found    autovacuum
		writing  bool
		others   *runfile.Others
		vacuumed *runfile.Autovacuum
	}{
		"nothing":          {nil, autovacuum{rows: 81}, false, nil, nil},
		"statistics alone": {rows(81, 1), autovacuum{rows: 81}, false, nil, &runfile.Autovacuum{Rows: 81}},
		"few rows besides": {rows(108, 1), autovacuum{rows: 81}, false, nil, &runfile.Autovacuum{Rows: 81}},
		"many rows besides": {rows(281, 0.5), autovacuum{rows: 81}, false, rows(200, 200.0/481),
			&runfile.Autovacuum{Rows: 81}},
		"without statistics": {rows(281, 0.5), autovacuum{}, false, rows(281, 0.5), nil},
		"with its WAL": {
			&runfile.Others{Rows: 81, RowsShare: 1, WALBytes: 3e6, WALShare: 1}, autovacuum{rows: 81}, false, nil,
			&runfile.Autovacuum{Rows: 81, WALBytes: 3e6},
		},
		"alone": {
			&runfile.Others{Rows: 300, RowsShare: 1, WALBytes: 3e6, WALShare: 1}, autovacuum{alone: true}, false, nil,
			&runfile.Autovacuum{Rows: 300, WALBytes: 3e6},
		},
		"alone, and yet somebody writes": {rows(300, 1), autovacuum{alone: true}, true, rows(300, 1), nil},
		"alone, and yet somebody commits": {
			&runfile.Others{Rows: 300, RowsShare: 1, Commits: 250, CommitsShare: 1}, autovacuum{alone: true}, false,
			&runfile.Others{Rows: 300, RowsShare: 1, Commits: 250, CommitsShare: 1}, nil,
		},
	} {
		others, vacuumed := apart(check.did, check.found, check.writing)
		if diff := cmp.Diff(check.others, others) + cmp.Diff(check.vacuumed, vacuumed); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
