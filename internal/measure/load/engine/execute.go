package engine

import (
	"errors"
	"fmt"
	"time"

	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/load/session"
)

var (
	errOpenPipeline    = errors.New("end of script reached with pipeline open")
	errOpenTransaction = errors.New("end of script reached without completing the last transaction")
	errStopped         = errors.New("stopped")
	errSimplePipeline  = errors.New("cannot use pipeline mode with the simple query protocol")
	errPiped           = errors.New("already in pipeline mode")
	errNotPiped        = errors.New("not in pipeline mode")
	errGatherPiped     = errors.New(`\gset and \aset are not allowed in pipeline mode`)
	errCopyPiped       = errors.New("not allowed in pipeline mode")
)

// scratch is memory that a client reuses for each statement.
type scratch struct {
	text []byte
	ends []int    // of the arguments in text, or isNull
	args [][]byte // in text
	row  []field
}

type field struct{ name, value string }

// execute runs the command at c.at and returns the index of the next.
func (c *client) execute(p *program) (next int, err error) {
	st := &p.steps[c.at]
	next = c.at + 1
	if c.PerCommand && c.at == 0 {
		c.lapFrom = c.time()
	}
	c.now = 0
	switch st.command.Kind {
	case script.KindSQL:
		err = c.statement(st)
	case script.KindSet:
		c.env.Where = st.where
		err = st.command.Assignment.Run(&c.env)
	case script.KindSleep:
		var length time.Duration
		if length, err = st.command.Sleep.Duration(c.env.Vars); err == nil && !c.sleepUntil(c.time()+length) {
			err = errStopped
		}
	case script.KindStartPipeline, script.KindSyncPipeline, script.KindEndPipeline:
		err = c.pipeline(st.command.Kind)
	case script.KindCopyRows:
		err = c.copyRows(st)
	case script.KindInsertRows:
		err = c.insertRows(st)
	default:
		c.env.Where = st.where
		next, err = p.script.Branch(&c.env, c.at)
	}
	return next, err
}

func (c *client) pipeline(kind script.CommandKind) error {
	if kind == script.KindStartPipeline {
		switch {
		case c.Mode == Simple:
			return errSimplePipeline
		case c.piped:
			return errPiped
		}
		c.piped = true
		return nil
	}
	if !c.piped {
		return errNotPiped
	}
	c.session.Sync()
	if kind == script.KindSyncPipeline {
		return nil
	}
	c.piped = false
	return c.answers()
}

// statement sends SQL, and reads its results unless a pipeline is open.
func (c *client) statement(st *step) error {
	sql := st.command.Statement
	if c.piped && sql.Gather != script.GatherNone {
		return errGatherPiped
	}
	switch c.Mode {
	case Simple:
		c.scratch.text = sql.AppendSimple(c.scratch.text[:0], c.env.Vars)
		c.session.Query(c.scratch.text, sql.Gather != script.GatherNone)
	case Extended:
		c.session.Extended(st.encoded, c.arguments(sql.Params))
	case Prepared:
		c.session.Prepared(st.encoded, c.arguments(sql.Params))
	}
	switch {
	case c.piped:
		return nil
	case sql.Gather != script.GatherNone:
		return c.gather(sql)
	default:
		return c.answers()
	}
}

// isNull takes the place of the end of a NULL argument.
const isNull = -1

// arguments returns the values of variables. As in pgbench, an undefined variable is NULL.
func (c *client) arguments(slots []int) [][]byte {
	b := &c.scratch
	b.text, b.ends = b.text[:0], b.ends[:0]
	for _, slot := range slots {
		var defined bool
		if b.text, defined = c.env.Vars.AppendText(b.text, slot); defined {
			b.ends = append(b.ends, len(b.text))
		} else {
			b.ends = append(b.ends, isNull)
		}
	}
	return b.cut()
}

// cut slices the text into arguments. The text must not grow any more.
func (b *scratch) cut() [][]byte {
	b.args = b.args[:0]
	from := 0
	for _, end := range b.ends {
		if end == isNull {
			b.args = append(b.args, nil)
			continue
		}
		b.args = append(b.args, b.text[from:end:end])
		from = end
	}
	return b.args
}

// answers reads all results and returns the first error.
func (c *client) answers() (failure error) {
	for c.session.Next() {
		if err := c.take(c.session.Result()); err != nil && failure == nil {
			failure = err
		}
	}
	if lost := c.session.Err(); lost != nil {
		return lost
	}
	return failure
}

func (c *client) take(r session.Result) error {
	if r.Err != nil {
		return r.Err
	}
	c.statements++
	c.returned += r.Returned
	return nil
}

func (c *client) gather(sql *script.Statement) (failure error) {
	var last session.Result
	for c.session.Next() {
		last = c.session.Result()
		err := c.take(last)
		if err == nil {
			c.keepRow()
			if sql.Gather == script.GatherAll && last.Returned > 0 {
				err = c.assign(sql.Prefix)
			}
		}
		if failure == nil {
			failure = err
		}
	}
	switch {
	case c.session.Err() != nil:
		return c.session.Err()
	case failure != nil || sql.Gather == script.GatherAll:
		return failure
	case last.Returned != 1:
		return fmt.Errorf(`\gset expected one row, got %d`, last.Returned)
	}
	return c.assign(sql.Prefix)
}

// keepRow copies the last row of the result, which the next one overwrites.
func (c *client) keepRow() {
	c.scratch.row = c.scratch.row[:0]
	for name, value := range c.session.Row() {
		c.scratch.row = append(c.scratch.row, field{string(name), string(value)})
	}
}

// assign puts the row into variables. As in pgbench, NULL is an empty text.
func (c *client) assign(prefix string) error {
	for _, f := range c.scratch.row {
		if err := c.env.Vars.Define(prefix+f.name, f.value); err != nil {
			return err
		}
	}
	return nil
}
