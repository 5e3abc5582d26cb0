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
	cloud    *collect.Cloud // what AWS tells later; nil: it is not asked
	moved    *runfile.Cloud // where the load is by now, after a failover; nil: where it began
	others   others         // what they do on the server
	writers  writers        // who of them writes
	standbys standbys       // that our commits wait for
	settings settings       // of the server
	stops    stops          // of this process
	phases   phases         // of the loads and what lies between them
	recorded bool           // the file holds a run, however it ended
}

// record keeps a record, and shows how far the run has come.
func (m *measurement) record(r runfile.Record) error {
	m.Show.Record(r)
	m.others.follow(r)
	return m.file.Write(r)
}

// doing shows what goes on while no load runs, and times it.
func (m *measurement) doing(text string) {
	m.phases.enter(text, time.Now())
	m.Show.Doing(text)
}

// say passes on what there may be to say.
func (m *measurement) say(text string) {
	if text = strings.TrimSpace(text); text != "" {
		m.Show.Message(text)
	}
}
