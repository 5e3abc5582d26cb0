package cost

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
)

// Judge checks a cost against a budget without a base.
func (c Cost) Judge(b Budget) Judged { return c.JudgeBy(b, nil) }

// JudgeBy checks a cost against a budget, by the median. Others can only have added to a count, and unreported sessions
// can only lack. base may be nil.
func (c Cost) JudgeBy(b Budget, base *Compared) Judged {
	j := Judged{Budget: b, Grew: []Growth{}}
	now, was, why := c.sides(b, base)
	j.Value = now.is()
	switch {
	case why != "":
		j.Verdict, j.Why = CannotTell, why
		return j
	case b.OverBase != nil:
		before := was.is()
		j.Base, j.Max = &before, b.OverBase.from(before)
	}
	j.Verdict, j.Why = c.verdict(j, now, was, base)
	if j.Verdict == Over && b.OverBase != nil {
		j.Grew = c.grew(b.Name, base.Cost)
	}
	return j
}

// Hold judges budgets. If the operation failed, they are not judged, since repetitions are missing.
func (r *Result) Hold(budgets []Budget) {
	for _, b := range budgets {
		j := Judged{Budget: b, Verdict: NotJudged, Value: math.NaN(), Why: "the operation failed", Grew: []Growth{}}
		if r.Failed == "" {
			j = r.JudgeBy(b, r.Base)
		}
		r.Budgets = append(r.Budgets, j)
	}
}

// side is a count as a budget uses it: per run of the operation, or per transaction.
type side struct {
	all  []float64 // in each repetition
	own  []float64 // the part that is certainly the operation's
	by   string    // the count used instead of an unknown one; empty: none
	lack string    // why that one is unknown
	rest string    // who else may have caused the rest
	// lowest: use the lowest repetition instead of the median. If all of the WAL replaces the operation's own on both
	// sides, the server's additions are least there.
	lowest bool
}

// is returns the value that is judged.
func (s side) is() float64 {
	if s.lowest {
		return slices.Min(s.all)
	}
	return stats.Median(s.all)
}

// sides returns the count of a budget, and the base's if the budget refers to it; why says why a count is missing.
func (c Cost) sides(b Budget, base *Compared) (now, was side, why string) {
	now, why = c.side(b)
	if b.OverBase == nil || base == nil {
		if b.OverBase != nil && why == "" {
			why = "there is no base"
		}
		return now, was, why
	}
	was, whyNot := base.Cost.side(b)
	switch {
	case why != "":
	case whyNot != "":
		why = fmt.Sprintf("%s lacks it (%s): measure it again", base.File, whyNot)
	case was.by != "" && now.by != "":
		was.lowest, now.lowest = true, true
	case was.by != "":
		why = base.File + " lacks it (its WAL was not read): measure it again"
	}
	return now, was, why
}

// standIn names the count of all WAL that replaces a count of the operation's own WAL if that was not read. It is at
// least as large.
var standIn = map[string]string{OwnRecords: "wal_records", OwnBytes: "wal_bytes"}

var unknown = []float64{math.NaN()}

func (c Cost) side(b Budget) (s side, why string) {
	count, found := c.Find(b.Name)
	if !found || count.Missing != "" {
		why = cmp.Or(count.Missing, "it was not counted")
		if count, _ = c.Find(standIn[b.Name]); len(count.Runs) == 0 {
			return side{all: unknown, own: unknown}, why
		}
		s.by, s.lack, why = count.Name, why, ""
	}
	times := 1.0
	if b.Per == PerTransaction {
		if c.Transactions == 0 {
			return side{all: unknown, own: unknown},
				"how many transactions the operation committed is known of scripts and statements only"
		}
		times = float64(c.Repetitions) / float64(c.Transactions)
	}
	s.all, s.own, s.rest = scaled(count.Runs, times), scaled(count.Runs, times), count.Rest
	if count.Own != nil {
		s.own = scaled(count.Own, times)
	}
	return s, ""
}

func scaled(all []float64, times float64) (scaled []float64) {
	for _, v := range all {
		scaled = append(scaled, v*times)
	}
	return scaled
}

// Reasons to doubt a verdict.
const (
	notReported = "sessions that are or may be the operation's stayed open, or its processes went on: what they " +
		"did last may not be counted"
	pooled = "a connection pooler keeps the operation's sessions open, so what they did last may not be counted: connect " +
		"to the server itself"
	notSeen = "no session of the operation connected to the database"
	notRead = "the WAL was not read, and %s counts all of it"
)

func (c Cost) verdict(j Judged, now, was side, base *Compared) (v Verdict, why string) {
	if !exceeds(j.Value, j.Max) {
		switch {
		case c.Incomplete:
			return CannotTell, cmp.Or(c.Lacks, notReported)
		case j.OverBase != nil && len(base.Cost.Others) > 0:
			return CannotTell, "other sessions were active when " + base.File + " was measured: the base may be too high"
		case now.by != "":
			return Within, fmt.Sprintf(notRead, now.by)
		}
		return Within, ""
	}
	switch own := stats.Median(now.own); {
	case len(c.Others) > 0:
		return CannotTell, "other sessions were active, or may have been: " + strings.Join(c.Others, ", ")
	case !exceeds(own, j.Max):
		return CannotTell, fmt.Sprintf("of %s at least %s are the operation's own; %s", amount(j.Value),
			amount(own), now.rest)
	case now.by != "" && (was.by == "" || j.Name == OwnBytes):
		return CannotTell, fmt.Sprintf(notRead, now.by) + " (" + now.lack + ")"
	case j.OverBase == nil:
		return Over, ""
	case base.Cost.Incomplete:
		return CannotTell, "not all was counted when " + base.File + " was measured: the base may be too low"
	case beyond(now.own, was.all, *j.OverBase) < clearly:
		return CannotTell,
			fmt.Sprintf("the repetitions of both overlap: %s now, and %s in the base; allow for that (%s=base+…), or "+
				"measure it more often (-r)", spread(now.all), spread(was.all), j.Name)
	default:
		return Over, ""
	}
}

// exceeds reports whether a value exceeds the maximum by more than rounding.
func exceeds(v, most float64) bool { return v > most+1e-9*(1+most) }

// clearly is the share of pairs of repetitions, one of now and one of the base, that must exceed the allowance. With
// ten repetitions each that vary alike, chance alone gives nine in ten pairs in one of a thousand measurements (the
// test of Mann and Whitney).
const clearly = 0.9

// beyond returns the share of pairs in which now exceeds what base allows.
func beyond(now, base []float64, allowed Allowance) float64 {
	var n int
	for _, b := range base {
		for _, v := range now {
			if exceeds(v, allowed.from(b)) {
				n++
			}
		}
	}
	return float64(n) / float64(len(now)*len(base))
}

// Processes of the server that write and fsync the WAL without a request from the operation.
const (
	walWriter    = "the WAL writer"
	checkpointer = "the checkpointer"
)

// irregular names the process whose WAL writes and fsyncs made some repetitions differ.
func irregular(c Count, repetitions []counts.Repetition) string {
	if c.Missing != "" || c.Low == c.High {
		return ""
	}
	column, ok := map[string]string{Fsyncs: "fsyncs", "wal_writes": "writes"}[c.Name]
	if !ok {
		return ""
	}
	most := func(v float64) bool { return v == c.Median }
	if 2*len(slices.DeleteFunc(slices.Clone(c.Runs), most)) >= len(c.Runs) {
		return "" // they never repeat
	}
	in := map[string][]string{}
	var order []string
	for i, r := range repetitions {
		if c.Runs[i] == c.Median {
			continue
		}
		who := interferer(r, column, c.Runs[i] < c.Median)
		if !slices.Contains(order, who) {
			order = append(order, who)
		}
		in[who] = append(in[who], fmt.Sprint(r.Number))
	}
	var names []string
	for _, who := range order {
		names = append(names, fmt.Sprintf("%s (repetition %s)", who, strings.Join(in[who], ", ")))
	}
	return strings.Join(names, "; ")
}

// interferer returns the process that made a repetition differ. From version 18 on the server counts WAL writes by
// process. Before that only the times of checkpoints are known; apart from clients and the checkpointer, the WAL writer
// writes the WAL.
func interferer(r counts.Repetition, column string, fewer bool) string {
	all, known := grew(r, "pgstat.io/wal_"+column)
	clients, knownClients := grew(r, "pgstat.io/wal_client_"+column)
	writer, knownWriter := grew(r, "pgstat.io/wal_writer_"+column)
	timed, _ := grew(r, metric.CheckpointerCheckpointsTimed)
	asked, _ := grew(r, metric.CheckpointerCheckpointsReq)
	switch byProcess := known && knownClients && knownWriter; {
	case byProcess && writer > 0:
		return walWriter
	case byProcess && all > clients, timed+asked > 0:
		return checkpointer
	case byProcess && fewer:
		return "sessions flushed the WAL of several commits together"
	case byProcess:
		return "the sessions themselves"
	case fewer:
		return "by elimination, " + walWriter + ", which wrote before the commit did"
	default:
		return "by elimination, " + walWriter + ": there was no checkpoint"
	}
}
