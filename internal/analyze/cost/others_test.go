package cost

import (
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// TestOthersAreNamed: others are named once for all repetitions, with what they reported, if known.
func TestOthersAreNamed(t *testing.T) {
	load := counts.Load{Repetitions: []counts.Repetition{inserted(1, 1, 0), inserted(2, 1, 0), inserted(3, 1, 0)}}
	for i := range load.Repetitions {
		load.Repetitions[i].Counts["pgstat.lsn/insert"] = counts.Count{Raw: 500}
	}
	beside := func(repetition int, reported *int64) counts.OthersWorked {
		o := runfile.Others{Who: []string{"psql of joe in shop"}, WALWrites: reported, WALFsyncs: reported}
		if reported != nil {
			o.WALBytes = 100 * *reported
		}
		return counts.OthersWorked{Repetition: repetition, Others: o}
	}
	none, two := int64(0), int64(2)
	for _, c := range []struct {
		name   string
		beside []counts.OthersWorked
		used   int
		others bool
		says   string
	}{
		{"nobody", nil, 3, false, ""},
		{"in one", []counts.OthersWorked{beside(2, nil)}, 2, false,
			"What was counted in repetition 2 is left out, because other sessions were active meanwhile: psql " +
				"of joe in shop (PostgreSQL 18"},
		{"in all", []counts.OthersWorked{beside(1, &none), beside(2, &two), beside(3, &two)}, 3, true,
			"Other sessions were active in repetitions 1, 2, 3, and their work is counted too: psql " +
				"of joe in shop " +
				"(of 1,500 bytes of WAL, sessions that are still there have reported 400 so far, with 4 " +
				"writes and 4 fsyncs)"},
		{"in silence", []counts.OthersWorked{beside(1, &none), beside(2, &none)}, 1, false,
			"What was counted in repetitions 1, 2 is left out, because other sessions were active meanwhile: " +
				"psql of joe in shop (sessions that are still there have reported no WAL so far)"},
	} {
		var of Cost
		used := of.alone(&counts.Run{Others: c.beside}, load)
		said := strings.Join(of.Warnings, "\n")
		if len(used) != c.used || (len(of.Others) > 0) != c.others || !strings.HasPrefix(said, c.says) ||
			strings.Contains(said, "\n") {
			t.Errorf("%s: %d repetitions, others %v, %q; want %q", c.name, len(used), of.Others, said, c.says)
		}
	}
}

// TestSessionsThatMayBeOthers: if the operation's sessions are not known one by one, a repetition with more sessions
// than most is left out. If there is no such majority, or others connect during idle times, an exceeded budget may be
// due to others. Without a count of sessions, rows are used.
func TestSessionsThatMayBeOthers(t *testing.T) {
	const over = 0 // rows, of which there are some
	for _, c := range []struct {
		name     string
		sessions []int64 // in each repetition; none: not counted
		rows     []float64
		idle     int64
		known    bool
		used     []int
		verdict  Verdict
		says     string
	}{
		{"as many each time", []int64{2, 2, 2}, []float64{5, 5, 5}, 0, false, []int{1, 2, 3}, Over, ""},
		{"one more in one", []int64{1, 2, 1}, []float64{5, 9, 5}, 0, false, []int{1, 3}, Over,
			"What was counted in repetition 2 is left out, because other sessions may have been active " +
				"meanwhile (sessions that connected to the database: up to 2, and 1 in the others)"},
		{"another number each time", []int64{1, 2, 3}, []float64{5, 9, 13}, 0, false, []int{1, 2, 3}, CannotTell,
			"Other sessions may have been active meanwhile, and their work is counted too (sessions that " +
				"connected to the database: 1 to 3; whose they were is unknown)"},
		{"more in most", []int64{2, 1, 2}, []float64{9, 5, 9}, 0, false, []int{1, 2, 3}, CannotTell,
			"Other sessions may have been active meanwhile, and their work is counted too (sessions that " +
				"connected to the database: 1 to 2; whose they were is unknown)"},
		{"others beforehand", []int64{2, 2, 2}, []float64{9, 9, 9}, 1, false, []int{1, 2, 3}, CannotTell,
			"Other sessions may have been active meanwhile, and their work is counted too (sessions that " +
				"connected to the database: 1 while nothing was done; whose they were is unknown)"},
		{"others beforehand, and its own are known", []int64{1, 1, 1}, []float64{5, 5, 5}, 1, true,
			[]int{1, 2, 3}, Over, ""},
		{"13, as many rows", nil, []float64{5, 5, 5}, 0, true, []int{1, 2, 3}, Over, ""},
		{"13, more rows in one", nil, []float64{5, 5, 9}, 0, true, []int{1, 2}, Over,
			"What was counted in repetition 3 is left out, because other sessions may have been active " +
				"meanwhile (PostgreSQL counts no sessions before 14; rows of the database that were written: up to " +
				"9, and 5 in the others)"},
	} {
		run := &counts.Run{Header: runfile.Run{Operation: &runfile.Operation{SessionsKnown: c.known}},
			OtherSessions: c.idle}
		var all []counts.Repetition
		for i, n := range c.rows {
			r := inserted(i+1, n, 0)
			if c.sessions != nil {
				r.Sessions = &c.sessions[i]
			}
			all = append(all, r)
		}
		of := Cost{Repetitions: 1}
		var used []int
		for _, r := range of.alike(run, all) {
			used = append(used, r.Number)
		}
		of.Counts = []Count{{Name: "rows", Runs: c.rows[:1], Median: c.rows[0]}}
		judged := of.Judge(Budget{Name: "rows", Max: over, Per: PerRun})
		if said := strings.Join(of.Warnings, "\n"); !slices.Equal(used, c.used) || said != c.says ||
			judged.Verdict != c.verdict {
			t.Errorf("%s: repetitions %v, %s, %q; want %v, %s, %q", c.name, used, judged.Verdict, said, c.used,
				c.verdict, c.says)
		}
	}
}

// TestAutovacuumIsNotTheOperation: a repetition with autovacuum is left out. If all have it, only users' tables and
// indexes can exceed a budget, not autovacuum's own work.
func TestAutovacuumIsNotTheOperation(t *testing.T) {
	repetition := func(n int, on ...string) counts.Repetition {
		analyzed := entries("pg_catalog.pg_statistic", "", "", 5, 0, nil, nil)
		r := counts.Repetition{
			Number: n, WAL: &runfile.WAL{
				Items: []runfile.WALItem{entries("public.t_a", "", "", 10, 0, nil, nil), analyzed}}}
		if on != nil {
			r.Autovacuum = &runfile.Autovacuum{On: on}
		}
		return r
	}
	records := kind{name: OwnRecords, of: func(counts.Load, counts.Repetition) (float64, float64, error) {
		return 16, 0, nil
	}}
	for _, c := range []struct {
		name        string
		repetitions []counts.Repetition
		used        []int
		warning     string
		verdicts    map[float64]Verdict // by the limit of a budget
	}{
		{"in none", []counts.Repetition{repetition(1), repetition(2)}, []int{1, 2}, "",
			map[float64]Verdict{9: Over, 12: Over, 16: Within}},
		{"in one", []counts.Repetition{repetition(1), repetition(2, "public.t")}, []int{1},
			"What was counted in repetition 2 is left out, because autovacuum worked meanwhile, on public.t",
			map[float64]Verdict{12: Over, 16: Within}},
		{"in all", []counts.Repetition{repetition(1, "public.t"), repetition(2, "public.t", "public.u")}, []int{1, 2},
			"Autovacuum worked in all repetitions, on public.t, public.u: ",
			map[float64]Verdict{9: Over, 12: CannotTell, 16: Within}},
	} {
		var of Cost
		used := of.unvacuumed(c.repetitions)
		var numbers []int
		for _, r := range used {
			numbers = append(numbers, r.Number)
		}
		if said := strings.Join(of.Warnings, "\n"); !slices.Equal(numbers, c.used) ||
			!strings.HasPrefix(said, c.warning) || (said == "") != (c.warning == "") {
			t.Errorf("%s: used %v, said %q", c.name, numbers, said)
		}
		of.Counts = []Count{records.count(counts.Load{Repetitions: used})}
		for most, want := range c.verdicts {
			if got := of.Judge(Budget{Name: OwnRecords, Max: most}); got.Verdict != want {
				t.Errorf("%s: at most %v: %v (%s), want %v", c.name, most, got.Verdict, got.Why, want)
			}
		}
	}
}

// TestUnseenCommand: a command that used another server costs nothing here, and is within no budget for that.
func TestUnseenCommand(t *testing.T) {
	for _, c := range []struct {
		sessions int64
		rows     float64
		by       runfile.Operation
		want     Verdict
	}{
		{0, 0, runfile.Operation{}, CannotTell},
		{0, 0, runfile.Operation{SessionsNamed: true}, Within}, // a pool that only read
		{0, 0, runfile.Operation{SessionsKnown: true}, Within},
		{0, 5, runfile.Operation{}, Within},
		{1, 0, runfile.Operation{}, Within},
	} {
		r := inserted(1, c.rows, 0)
		r.Sessions = &c.sessions
		of := Cost{Counts: []Count{{Name: "rows", Runs: []float64{c.rows}},
			{Name: "sessions", Runs: []float64{float64(c.sessions)}, High: float64(c.sessions)}}}
		of.warnOfOpen(&counts.Run{Header: runfile.Run{Operation: &c.by}}, counts.Load{Repetitions: []counts.Repetition{r}})
		judged := of.Judge(Budget{Name: "rows", Max: 9})
		if seen := c.want == Within; judged.Verdict != c.want || seen != (len(of.Warnings) == 0) ||
			seen != (judged.Why != notSeen) {
			t.Errorf("%+v: %+v, %q, want %s", c, judged, of.Warnings, c.want)
		}
	}
}

// TestSwitchesAreNamed: most of a file of 16 MiB was zeros. Page headers and alignment are no zeros of that kind.
func TestSwitchesAreNamed(t *testing.T) {
	for _, c := range []struct {
		all, bytes, records float64
		want                bool
	}{{16 << 20, 1_248, 23, true}, {85_312_000, 80_000_000, 1_000_000, false}, {200, 93, 2, false}} {
		r := inserted(1, 5, 0)
		r.Counts[metric.InsertPosition] = counts.Count{Raw: c.all}
		r.Log = &counts.Anatomy{Coverage: 1, Sum: counts.Part{Bytes: c.bytes, Records: c.records}}
		var of Cost
		if of.warnOfSwitches([]counts.Repetition{r}); (len(of.Warnings) == 1) != c.want {
			t.Errorf("%+v: %q", c, of.Warnings)
		}
	}
}

// TestWhyNotAllWasCounted: sessions that stayed open are not called unseen if none connected anew, as in a pool.
func TestWhyNotAllWasCounted(t *testing.T) {
	none := int64(0)
	for want, pooler := range map[string]bool{notReported: false, pooled: true} {
		r := inserted(1, 5, 0)
		r.Sessions = &none
		run := &counts.Run{Header: runfile.Run{Operation: &runfile.Operation{}, Target: runfile.Target{Pooler: pooler}},
			Others: []counts.OthersWorked{{Repetition: 1, Others: runfile.Others{Staying: 1}}}}
		of := Cost{Counts: []Count{{Name: "rows", Runs: []float64{5}}, {Name: "sessions", Runs: []float64{0}}}}
		of.warnOfOpen(run, counts.Load{Repetitions: []counts.Repetition{r}})
		if judged := of.Judge(Budget{Name: "rows", Max: 9}); judged.Verdict != CannotTell || judged.Why != want {
			t.Errorf("%+v, want %s", judged, want)
		}
	}
}
