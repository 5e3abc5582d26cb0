package cost

import (
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// inserted returns a repetition with the given rows inserted, as read; -1: not read.
func inserted(number int, rows, background float64) counts.Repetition {
	c := counts.Count{Raw: rows, Amount: rows - background}
	if rows < 0 {
		c.Missing = &series.Missing{Detail: "no answer within 2s"}
	}
	none := counts.Count{}
	return counts.Repetition{Number: number, Counts: map[string]counts.Count{
		"pgstat.database/tup_inserted": c, "pgstat.database/tup_updated": none, "pgstat.database/tup_deleted": none}}
}

// TestUnreadRepetitionsAreLeftOut: a repetition that lacks what others have is left out. A count that none has
// is missing, as on a version without it.
func TestUnreadRepetitionsAreLeftOut(t *testing.T) {
	never := kind{name: "never", of: func(counts.Load, counts.Repetition) (float64, float64, error) {
		return 0, 0, &series.Missing{Detail: "13 does not count it"}
	}}
	counted := []kind{{name: "rows", of: lessBackground(rows)}, never}
	for _, c := range []struct {
		rows []float64
		want []int
		says string
	}{
		{[]float64{3, 3, 3}, []int{1, 2, 3}, ""},
		{[]float64{3, -1, 3}, []int{1, 3}, "Repetition 2 is left out: rows was not read: no answer within 2s"},
		{[]float64{-1, -1}, []int{1, 2}, ""},
	} {
		var load counts.Load
		for i, n := range c.rows {
			load.Repetitions = append(load.Repetitions, inserted(i+1, n, 0))
		}
		var of Cost
		var got []int
		for _, r := range of.whole(load, counted) {
			got = append(got, r.Number)
		}
		if said := strings.Join(of.Warnings, "\n"); !slices.Equal(got, c.want) || said != c.says {
			t.Errorf("of %v there are %v (%q), want %v (%q)", c.rows, got, said, c.want, c.says)
		}
	}
}

// TestRowsThatOnlyTheWALHas: a session with track_counts=off counts no rows, which is not none. Rows of a shared catalog
// are in no database.
func TestRowsThatOnlyTheWALHas(t *testing.T) {
	const cannotTell = -1
	for _, c := range []struct{ rows, inserted, updated, shared, want float64 }{
		{1, 1, 0, 0, 1}, {0, 1, 0, 0, cannotTell}, {0, 0, 2, 0, cannotTell}, {500, 1, 0, 0, 500}, {0, 0, 0, 0, 0},
		{0, 0, 2, 2, 0}, {0, 1, 2, 2, cannotTell},
	} {
		r := inserted(1, c.rows, 0)
		r.Log = &counts.Anatomy{Coverage: 1, Parts: []counts.Part{
			{Name: "heap_multi_insert", Records: c.inserted}, {Name: "heap_update", Records: c.updated}}}
		r.WAL = &runfile.WAL{Items: []runfile.WALItem{{Name: "pg_catalog.pg_later", Is: runfile.WALCatalog, Shared: true,
			Parts: map[string]runfile.WALPart{"heap_update": {Records: int64(c.shared)}}}}}
		got, _, err := databaseRows(counts.Load{}, r)
		if err != nil {
			got = cannotTell
		}
		if got != c.want {
			t.Errorf("%+v: %v (%v)", c, got, err)
		}
	}
}

// TestLeastBackgroundIsSubtracted: work in only one of two idle times is not subtracted, since a repetition may not
// include it.
func TestLeastBackgroundIsSubtracted(t *testing.T) {
	r := inserted(1, 20, 1.5)
	r.Variants = []counts.Repetition{inserted(1, 20, 3), inserted(1, 20, 0)}
	always := inserted(2, 20, 3)
	always.Variants = []counts.Repetition{inserted(2, 20, 2), inserted(2, 20, 4)}
	once := inserted(3, 20, 5)
	got := kind{name: "rows", of: lessBackground(rows)}.count(counts.Load{
		Repetitions: []counts.Repetition{r, always, once}})
	if want := []float64{20, 18, 15}; !slices.Equal(got.Runs, want) {
		t.Errorf("%v, want %v", got.Runs, want)
	}
}

// TestEndedBackgroundIsNotSubtracted: what the server did by itself before ended if a repetition has less in all. Then
// a count is at most as read, which is within a budget for certain, and over it for none.
func TestEndedBackgroundIsNotSubtracted(t *testing.T) {
	of := func(of ...float64) Count {
		var load counts.Load
		for i, n := range of {
			load.Repetitions = append(load.Repetitions, inserted(i+1, n, 19))
		}
		return kind{name: "pages_written", of: lessBackground(rows)}.count(load)
	}
	for _, c := range []struct {
		counted []float64
		most    float64
		want    Verdict
	}{
		{[]float64{4, 3, 30}, 4, Within},
		{[]float64{4, 3, 30}, 3, CannotTell},
		{[]float64{4, 23, 30}, 4, Within},
		{[]float64{4, 23, 30}, 3, Over},
	} {
		cost := Cost{Counts: []Count{of(c.counted...)}, Repetitions: 3}
		if got := cost.Judge(Budget{Name: "pages_written", Max: c.most}); got.Verdict != c.want {
			t.Errorf("%v, of which the server itself 19, against %v: %+v, want %s", c.counted, c.most, got, c.want)
		}
	}
}

// TestUnfinishedMeasurements: an unfinished measurement says that it has fewer repetitions than requested.
func TestUnfinishedMeasurements(t *testing.T) {
	for want, end := range map[string]*runfile.Ended{
		"The run was cut off: it is what was measured until then":     nil,
		"The run was interrupted: it is what was measured until then": {Status: runfile.Interrupted},
		"The run failed: it is what was measured until then":          {Status: runfile.Broken},
		"": {Status: runfile.Complete},
	} {
		if got := unfinished(end); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWALFromBeforeRepetition: a repetition has no more WAL than was written during it: more is from others, before.
func TestWALFromBeforeRepetition(t *testing.T) {
	for moved, want := range map[float64]string{
		104: "", 80: "what was read of the WAL began before the repetition did"} {
		r := inserted(1, 1, 0)
		r.Counts["pgstat.lsn/insert"] = counts.Count{Raw: moved}
		r.Log = &counts.Anatomy{Coverage: 1, Parts: []counts.Part{
			{Name: "heap_insert", Records: 1, Bytes: 59}, {Name: commit, Records: 1, Bytes: 34},
			{Name: "other", Records: 1, Bytes: 50}}}
		counted, _, err := sumParts(records, own...)(counts.Load{}, r)
		if got := ""; err != nil {
			if got = reason(err); got != want {
				t.Errorf("of %v bytes: %s, want %q", moved, got, want)
			}
		} else if want != "" || counted != 2 {
			t.Errorf("of %v bytes: %v records, want %q", moved, counted, want)
		}
	}
}

// TestRemediesOfManagedServers: no suggestion is made that AWS refuses.
func TestRemediesOfManagedServers(t *testing.T) {
	const only = "pg_walinspect is not in this database, and only a superuser may make it"
	for flavor, want := range map[string]string{
		"postgres": "pg_walinspect is not in this database; a superuser may: create extension pg_walinspect; grant " +
			"pg_read_server_files to the role that measures",
		"rds": "pg_walinspect is not in this database; as the master user: create extension pg_walinspect; and " +
			"measure as that user",
		"aurora": "Aurora has no pg_walinspect, so its WAL records cannot be told apart",
	} {
		if got := withRemedy(flavor, only); got != want {
			t.Errorf("%s: %q, want %q", flavor, got, want)
		}
		if got := withRemedy(flavor, "the WAL was gone"); got != "the WAL was gone" {
			t.Errorf("%s: %q", flavor, got)
		}
	}
}

// TestImageBytes: PostgreSQL 19 counts what otherwise requires reading the WAL.
func TestImageBytes(t *testing.T) {
	r := counts.Repetition{Counts: map[string]counts.Count{metric.StatWALFPIBytes: {Amount: 8192, Raw: 8192}}}
	if got, _, err := imageBytes(counts.Load{}, r); got != 8192 || err != nil {
		t.Errorf("on 19: %v, %v", got, err)
	}
	r.Log = &counts.Anatomy{
		Coverage: 1, Parts: []counts.Part{{Name: "page_image", Records: 1, Bytes: 900, Images: 800}}}
	if got, _, err := imageBytes(counts.Load{}, r); got != 800 || err != nil {
		t.Errorf("where the WAL was read: %v, %v", got, err)
	}
	if _, _, err := imageBytes(counts.Load{}, counts.Repetition{}); err == nil ||
		!strings.Contains(err.Error(), "did not read the WAL") {
		t.Errorf("up to 18: %v", err)
	}
}
