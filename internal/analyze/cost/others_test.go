package cost

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/runfile"
)

// Those who were at work are told once for all repetitions, with what they have reported, if the server tells.
func TestOthersAreTold(t *testing.T) {
	arm := drivers.Arm{Replicates: []drivers.Replicate{inserted(1, 1, 0), inserted(2, 1, 0), inserted(3, 1, 0)}}
	for i := range arm.Replicates {
		arm.Replicates[i].Counts["pgstat.lsn/insert"] = drivers.Count{Raw: 500}
	}
	beside := func(repetition int, reported *int64) drivers.OthersWorked {
		o := runfile.Others{Who: []string{"psql of joe in shop"}, WALWrites: reported, WALFsyncs: reported}
		if reported != nil {
			o.WALBytes = 100 * *reported
		}
		return drivers.OthersWorked{Replicate: repetition, Others: o}
	}
	none, two := int64(0), int64(2)
	for _, c := range []struct {
		name   string
		beside []drivers.OthersWorked
		used   int
		others bool
		says   string
	}{
		{"nobody", nil, 3, false, ""},
		{"in one", []drivers.OthersWorked{beside(2, nil)}, 2, false,
			"What was counted in repetition 2 is left out, because others were at work on the server meanwhile: psql of joe in shop (how much WAL"},
		{"in all", []drivers.OthersWorked{beside(1, &none), beside(2, &two), beside(3, &two)}, 3, true,
			"Others were at work on the server in repetitions 1, 2, 3, and what they did is counted, too: psql of joe in shop " +
				"(of 1,500 bytes of WAL, those who are still there have reported 400 so far, with 4 writes and 4 fsyncs)"},
		{"in silence", []drivers.OthersWorked{beside(1, &none), beside(2, &none)}, 1, false,
			"What was counted in repetitions 1, 2 is left out, because others were at work on the server meanwhile: psql of joe in shop (what they wrote they have not reported yet)"},
	} {
		var of Cost
		used := of.alone(&drivers.Run{Others: c.beside}, arm)
		said := strings.Join(of.Warnings, "\n")
		if len(used) != c.used || (len(of.Others) > 0) != c.others || !strings.HasPrefix(said, c.says) || strings.Contains(said, "\n") {
			t.Errorf("%s: %d repetitions, others %v, %q; want %q", c.name, len(used), of.Others, said, c.says)
		}
	}
}
