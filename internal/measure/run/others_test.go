package run

import (
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/probe/anatomy"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/runfile"
)

// Ten readings a second by each of two probes are twenty transactions a second of ours, and those of one of the
// sessions before the load may be reported during it.
func TestOurReadingsAreNotOfOthers(t *testing.T) {
	const seconds, each = 60, 10
	during := func(theirs float64) *runfile.Others {
		var o others
		start, commits := time.Now(), 5000.0
		read := func(at time.Duration) {
			values := map[string]float64{"pgstat.cluster/xact_commit": commits}
			o.follow(runfile.Reading{Probe: anatomy.Name, At: start.Add(at)})
			o.follow(runfile.Reading{Probe: pgstat.Name, At: start.Add(at), Values: values})
		}
		read(0)
		o.follow(runfile.LoadEvent{Event: runfile.Begin})
		commits += 10 * each
		for n := range seconds * each {
			commits += 2 + theirs/(seconds*each)
			read(time.Duration(n+1) * time.Second / each)
		}
		return o.during(0, nil)
	}
	if found := during(0); found != nil {
		t.Errorf("our own readings: %+v", *found)
	}
	if found := during(3000); found == nil || found.Commits < 2900 || found.Commits > 3200 {
		t.Errorf("3,000 commits of others: %+v", found)
	}
}
