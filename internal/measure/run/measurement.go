package run

import (
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/collect"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/runfile"
)

type measurement struct {
	Options
	file     *runfile.Writer
	target   *target.Target
	session  *target.Session
	cloud    *collect.Cloud // read when the run is over; nil: AWS is not asked
	moved    *runfile.Cloud // the server's description after a failover; nil: there was none
	others   others         // the work of other sessions
	writers  writers        // other sessions in the middle of a long write
	standbys standbys       // that our commits wait for
	followed followers      // who reads the WAL
	settings settings       // of the server
	stops    stops          // of this process
	phases   phases         // times loads and the work between them
	recorded bool           // the file holds a run, however it ended
}

// record appends r to the file, and shows the progress of the run.
func (m *measurement) record(r runfile.Record) error {
	m.Show.Record(r)
	m.others.follow(r)
	return m.file.Write(r)
}

// doing shows the activity while no load runs, and times it.
func (m *measurement) doing(text string) {
	m.phases.enter(text, time.Now())
	m.Show.Doing(text)
}

// say shows text, unless it is empty.
func (m *measurement) say(text string) {
	if text = strings.TrimSpace(text); text != "" {
		m.Show.Message(text)
	}
}
