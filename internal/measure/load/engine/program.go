package engine

import (
	"fmt"

	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/load/session"
)

// program is a script prepared for a mode, shared by all clients.
type program struct {
	script *script.Script
	index  int
	steps  []step
}

type step struct {
	command  *script.Command
	encoded  *session.Statement // of a statement, unless the mode is Simple
	generate *generator         // of \copy_rows and \insert_rows
	where    string             // the prefix of debug()'s output
}

func compile(o *Options) ([]program, error) {
	programs := make([]program, len(o.Scripts))
	for i, w := range o.Scripts {
		programs[i] = program{script: w.Script, index: i, steps: make([]step, len(w.Script.Commands))}
		for at := range w.Script.Commands {
			var err error
			if programs[i].steps[at], err = compileStep(o.Mode, &w.Script.Commands[at], i, at); err != nil {
				return nil, w.Script.Wrap(at, err)
			}
		}
	}
	return programs, nil
}

func compileStep(mode Mode, c *script.Command, number, at int) (step, error) {
	st := step{command: c, where: fmt.Sprintf("debug(script=%d,command=%d): ", number, at+1)}
	name := fmt.Sprintf("P%d_%d", number, at)
	var err error
	switch {
	case c.Kind == script.KindSQL && mode != Simple:
		if err = c.Statement.Extended(); err == nil {
			gather := c.Statement.Gather != script.GatherNone
			st.encoded, err = session.NewStatement(name, c.Statement.Query, len(c.Statement.Params), gather)
		}
	case c.Kind == script.KindCopyRows || c.Kind == script.KindInsertRows:
		st.generate = newGenerator(name, c.Rows)
	}
	return st, err
}
