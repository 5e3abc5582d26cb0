package measuring

import (
	"fmt"

	"github.com/realiops/realiops/internal/cli/exporter"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/runfile"
)

// follower shows an observation to the user, and to scrapers.
type follower struct {
	*progress.Display
	metrics *exporter.Server // nil: not listening
}

// Record follows the observation.
func (f follower) Record(r runfile.Record) {
	f.Display.Record(r)
	if f.metrics == nil {
		return
	}
	f.metrics.Record(r)
	if r.Kind() == runfile.KindRun {
		who := "for this machine only"
		if !f.metrics.Alone() {
			who = "for everyone who can reach this machine there"
		}
		f.Message(fmt.Sprintf("Metrics for a Prometheus are at %s, %s.", f.metrics.URL(), who))
	}
}

// Close closes both.
func (f follower) Close() {
	f.Display.Close()
	if f.metrics != nil {
		f.metrics.Close()
	}
}
