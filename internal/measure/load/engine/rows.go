package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/load/session"
)

// generator makes the rows of a \copy_rows or \insert_rows. The n-th row of a command is a function of its number, of
// the client's variables, and of the client's random numbers if it asks for some: rows that use :row alone are the same
// whoever makes them.
type generator struct {
	name  string
	rows  *script.Rows
	copy  []byte // the statement
	head  string // of the INSERT
	texts []text

	mu         sync.Mutex
	statements map[int64]*session.Statement // of INSERTs with parameters, by the number of rows
	columns    []column                     // of a binary COPY, once they are known
}

// text is a generated text as it must be written: the marks of a format are escaped in the literal once and for all.
type text struct{ plain, copy, sql *script.Text }

func newGenerator(name string, r *script.Rows) *generator {
	columns := strings.Join(r.Columns, ", ")
	format := ""
	if r.Binary {
		format = " (format binary)"
	}
	g := &generator{
		name: name, rows: r, texts: make([]text, len(r.Items)),
		copy: fmt.Appendf(nil, "copy %s (%s) from stdin%s", r.Table, columns, format),
		head: fmt.Sprintf("insert into %s (%s) values ", r.Table, columns),
	}
	for i, item := range r.Items {
		if item.Text != nil {
			g.texts[i] = text{item.Text, escaped(item.Text, copyEscapes), escaped(item.Text, sqlEscapes)}
		}
	}
	return g
}

var (
	copyEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)
	sqlEscapes  = strings.NewReplacer(`'`, `''`)
)

func escaped(t *script.Text, marks *strings.Replacer) *script.Text {
	return &script.Text{Literal: marks.Replace(t.Literal), Times: t.Times}
}

// rowsAtOnce is the number of rows made between two looks at the buffer.
const rowsAtOnce = 16

func (c *client) copyRows(st *step) error {
	if c.piped {
		return errCopyPiped
	}
	c.env.Where = st.where
	rows, err := st.generate.rows.NumberOf(&c.env)
	if err != nil {
		return err
	}
	write := st.generate.appendCopyRow
	if st.generate.rows.Binary {
		if write, err = c.binaryRow(st.generate); err != nil {
			return err
		}
	}
	result, err := c.session.CopyIn(st.generate.copy, c.stream(rows, st.generate.rows.Binary, write))
	if err != nil {
		return err
	}
	return c.take(result)
}

// stream gives rows, a few at a time.
func (c *client) stream(rows int64, binary bool, write rowWriter) func([]byte) ([]byte, error) {
	row := int64(0)
	return func(dst []byte) ([]byte, error) {
		if row == 0 && binary {
			dst = append(dst, binaryHeader...)
		}
		var err error
		for end := min(row+rowsAtOnce, rows); row < end; {
			row++
			c.env.Row = row
			if dst, err = write(dst, &c.env); err != nil {
				return dst, fmt.Errorf("row %d: %w", row, err)
			}
		}
		if row < rows {
			return dst, nil
		}
		if binary {
			dst = append(dst, binaryTrailer...)
		}
		return dst, io.EOF
	}
}

type rowWriter func(dst []byte, env *script.Env) ([]byte, error)

func (g *generator) appendCopyRow(dst []byte, env *script.Env) ([]byte, error) {
	for i := range g.rows.Items {
		if i > 0 {
			dst = append(dst, '\t')
		}
		if t := g.texts[i].copy; t != nil {
			var err error
			if dst, err = t.Append(dst, env); err != nil {
				return dst, err
			}
			continue
		}
		v, err := g.rows.Items[i].Expr.Eval(env)
		if err != nil {
			return dst, err
		}
		if v.Kind() == script.KindNull {
			dst = append(dst, `\N`...)
		} else {
			dst = v.AppendText(dst)
		}
	}
	return append(dst, '\n'), nil
}

// maxParameters is the protocol's limit per statement.
const maxParameters = 65535

// keptStatements is the number of different row counts of a command for which its prepared statement is kept.
const keptStatements = 100

// insertRows runs \insert_rows. None to insert is nothing to send.
func (c *client) insertRows(st *step) error {
	c.env.Where = st.where
	g := st.generate
	rows, err := g.rows.NumberOf(&c.env)
	if err != nil || rows == 0 {
		return err
	}
	if c.Mode == Simple {
		if err = c.spellOut(g, rows); err == nil {
			c.session.Query(c.scratch.text, false)
		}
	} else {
		err = c.insertParameters(g, rows)
	}
	if err != nil || c.piped {
		return err
	}
	return c.answers()
}

// mostText bounds the text of an INSERT, in bytes. PostgreSQL takes a gigabyte; every client would hold one.
const mostText = 64 << 20

var errTooMuchText = fmt.Errorf(
	`an INSERT of more than %d MiB: make fewer rows, or use \copy_rows, which sends them as they are made`, mostText>>20)

// spellOut writes an INSERT with all values in its text.
func (c *client) spellOut(g *generator, rows int64) (err error) {
	b := append(c.scratch.text[:0], g.head...)
	for row := int64(1); row <= rows && err == nil; row++ {
		if len(b) > mostText {
			return errTooMuchText
		}
		if row > 1 {
			b = append(b, ',')
		}
		c.env.Row = row
		b, err = g.appendSQLRow(append(b, '('), &c.env)
		b = append(b, ')')
	}
	c.scratch.text = b
	return err
}

func (g *generator) appendSQLRow(dst []byte, env *script.Env) ([]byte, error) {
	for i := range g.rows.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if t := g.texts[i].sql; t != nil {
			var err error
			if dst, err = t.Append(append(dst, '\''), env); err != nil {
				return dst, err
			}
			dst = append(dst, '\'')
			continue
		}
		v, err := g.rows.Items[i].Expr.Eval(env)
		if err != nil {
			return dst, err
		}
		dst = appendSQLValue(dst, v)
	}
	return dst, nil
}

// appendSQLValue writes a value into SQL; NaN and the infinities are words there and need quotes.
func appendSQLValue(dst []byte, v script.Value) []byte {
	if v.Kind() != script.KindDouble {
		return v.AppendText(dst)
	}
	from := len(dst)
	dst = v.AppendText(dst)
	if bytes.ContainsAny(dst[from:], "Ny") {
		dst = append(append(dst[:from], '\''), v.AppendText(nil)...)
		dst = append(dst, '\'')
	}
	return dst
}

var errTooManyParameters = errors.New("more than 65,535 values in one statement: make fewer rows, or use the " +
	"simple protocol")

// insertParameters adds an INSERT whose values are parameters, prepared where the mode says so.
func (c *client) insertParameters(g *generator, rows int64) error {
	if rows > maxParameters/int64(len(g.rows.Items)) {
		return errTooManyParameters
	}
	encoded, reusable, err := g.statement(rows)
	if err != nil {
		return err
	}
	args, err := c.values(g, rows)
	if err != nil {
		return err
	}
	if reusable && c.Mode == Prepared {
		c.session.Prepared(encoded, args)
	} else {
		c.session.Extended(encoded, args)
	}
	return nil
}

// statement returns the INSERT for a number of rows; only keptStatements of them are kept for later.
func (g *generator) statement(rows int64) (st *session.Statement, reusable bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if st := g.statements[rows]; st != nil {
		return st, true, nil
	}
	items := len(g.rows.Items)
	st, err = session.NewStatement(fmt.Sprintf("%s_%d", g.name, rows), g.placeholders(int(rows)), items*int(rows), false)
	if err != nil || len(g.statements) >= keptStatements {
		return st, false, err
	}
	if g.statements == nil {
		g.statements = map[int64]*session.Statement{}
	}
	g.statements[rows] = st
	return st, true, nil
}

func (g *generator) placeholders(rows int) string {
	b := []byte(g.head)
	for i := range rows * len(g.rows.Items) {
		switch {
		case i == 0:
			b = append(b, '(')
		case i%len(g.rows.Items) == 0:
			b = append(b, "),("...)
		default:
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "$%d", i+1)
	}
	return string(append(b, ')'))
}

// values returns the rows as arguments.
func (c *client) values(g *generator, rows int64) ([][]byte, error) {
	b := &c.scratch
	b.text, b.ends = b.text[:0], b.ends[:0]
	for row := int64(1); row <= rows; row++ {
		c.env.Row = row
		for i := range g.rows.Items {
			null, err := c.appendArgument(g, i)
			if err != nil {
				return nil, fmt.Errorf("row %d: %w", row, err)
			}
			if null {
				b.ends = append(b.ends, isNull)
			} else {
				b.ends = append(b.ends, len(b.text))
			}
		}
	}
	return b.cut(), nil
}

func (c *client) appendArgument(g *generator, i int) (null bool, err error) {
	b := &c.scratch
	if t := g.texts[i].plain; t != nil {
		b.text, err = t.Append(b.text, &c.env)
		return false, err
	}
	v, err := g.rows.Items[i].Expr.Eval(&c.env)
	if err != nil || v.Kind() == script.KindNull {
		return true, err
	}
	b.text = v.AppendText(b.text)
	return false, nil
}
