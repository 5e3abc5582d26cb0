package attribution

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/drivers"
)

// known is what one row brought with it in an arm of the plan identify.
type known struct {
	arm    string
	perRow map[string]float64 // by driver
}

// knownArms are sums of three replicates of each arm on PostgreSQL 17.11, 8 clients on two cores, idle taken off: from
// testdata/runs/arms-pg17.jsonl. Log records and bytes for a row are PostgreSQL's and hold elsewhere; what waits for a
// disk depends on the disk. They serve to choose an arm and to tell what was not recorded, never to judge a metric by.
func knownArms() []known {
	row := func(arm string, perRow ...float64) known {
		k := known{arm, map[string]float64{drivers.Rows: 1}}
		for i, driver := range []string{
			drivers.Entries, drivers.Statements, drivers.Commits, drivers.WALRecords, drivers.WALBytes, drivers.WALWrites,
			drivers.WALSyncs, drivers.PagesWritten, drivers.DeviceRequests, drivers.DeviceFlushes, drivers.DeviceBytes,
		} {
			k.perRow[driver] = perRow[i]
		}
		return k
	}
	return []known{
		row("bulk", 1, 0.001, 0.001, 1.031, 75.41, 0.0004328, 0.0004193, 0.005408, 0.0005209, 0.000435, 123.3),
		row("bulk-indexed", 3, 0.001, 0.001, 3.047, 208.6, 0.0007084, 0.0006714, 0.009259, 0.000985, 0.0007408, 366.4),
		row("copy", 1, 0.001, 0.001, 0.03769, 23.78, 0.0003849, 0.0003806, 0.005409, 0.0005958, 0.0003872, 72.04),
		row("copy-indexed", 3, 0.001, 0.001, 2.054, 163.7, 0.0004247, 0.0003955, 0.01018, 0.0008522, 0.0004303, 250.9),
		row("single", 1, 1, 1, 2.03, 115.5, 0.2528, 0.2528, 0.005553, 0.2532, 0.253, 2236),
		row("async", 1, 1, 1, 2.03, 115.5, 0.0002226, 0.0001136, 0.005434, 0.0003438, 0.0001765, 161.8),
		row("multi", 1, 1, 0.01, 1.04, 75.77, 0.009737, 0.009725, 0.005434, 0.009944, 0.009782, 200.4),
		row("wide", 2, 0.01, 0.01, 2.043, 1169, 0.00505, 0.004841, 0.1456, 0.006954, 0.005209, 2880),
	}
}

// parts is by which logarithm the ratio of two drivers differs in an arm from what it is on average in others.
func (k known) parts(one, other string, usual float64) float64 {
	return math.Abs(math.Log(k.perRow[one]/k.perRow[other]) - usual)
}

// usual is the mean logarithm of the ratio of two drivers in the arms that were run, as they were measured there; where
// they were not, as it is known. ok is false where neither tells.
func (j *judge) usual(one, other string) (mean float64, ok bool) {
	n := 0.0
	for a := range j.arms {
		l, found := j.measured(a, one, other)
		if !found {
			l, found = knownRatio(j.arms[a].Name, one, other)
		}
		if found {
			mean, n = mean+l, n+1
		}
	}
	return mean / n, n > 0
}

// measured is the logarithm of the ratio of two drivers in an arm that was run.
func (j *judge) measured(a int, one, other string) (float64, bool) {
	x, y := j.columnOf(one), j.columnOf(other)
	if x == nil || y == nil {
		return 0, false
	}
	ratio, logs, _ := quotients(x[a], y[a])
	return math.Log(ratio.Value), len(logs) > 0
}

func (j *judge) columnOf(driver string) column {
	i := slices.IndexFunc(j.drivers, func(d drivers.Driver) bool { return d.Name == driver })
	if i < 0 {
		return nil
	}
	return j.columns[i]
}

func knownRatio(arm, one, other string) (float64, bool) {
	for _, k := range knownArms() {
		if k.arm == arm {
			return math.Log(k.perRow[one] / k.perRow[other]), true
		}
	}
	return 0, false
}

// unparted tells whether the arms that were run would have parted two drivers of which one was not recorded: they would
// not, where their known ratio is the same in all of them, or is not known.
func (j *judge) unparted(one, other string) bool {
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, a := range j.arms {
		l, found := knownRatio(a.Name, one, other)
		if !found {
			return true
		}
		lowest, highest = min(lowest, l), max(highest, l)
	}
	return highest-lowest < math.Log(j.options.Tolerance)
}

// settle finds the arm of the plan identify that parts the most of these drivers, and of several the one that parts them
// furthest; one that was not run yet, if there is any.
func (j *judge) settle(open []string) *Settle {
	var best *Settle
	pairs, fresh := 0, false
	for _, k := range knownArms() {
		s, n := j.settledBy(k, open)
		if n == 0 {
			continue
		}
		run := slices.ContainsFunc(j.arms, func(a drivers.Arm) bool { return a.Name == k.arm })
		switch {
		case best == nil, !run && !fresh, !run == fresh && (n > pairs || n == pairs && s.Factor > best.Factor):
			best, pairs, fresh = s, n, !run
		}
	}
	return best
}

// parting is by what factor the ratio of two drivers has to differ in an arm for the arm to part them: by enough to show
// through noise of a tenth.
const parting = 1.3

// settledBy tells which of the drivers an arm would part, and how many pairs of them.
func (j *judge) settledBy(k known, open []string) (s *Settle, pairs int) {
	s = &Settle{Arm: k.arm, Factor: math.Inf(1)}
	for i, one := range open {
		for _, other := range open[:i] {
			usual, ok := j.usual(one, other)
			if !ok {
				continue
			}
			if f := math.Exp(k.parts(one, other, usual)); f >= parting {
				pairs++
				s.Factor = min(s.Factor, f)
				s.add(other)
				s.add(one)
			}
		}
	}
	return s, pairs
}

func (s *Settle) add(driver string) {
	if !slices.Contains(s.Between, driver) {
		s.Between = append(s.Between, driver)
	}
}
