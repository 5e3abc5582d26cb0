package engine

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/load/session"
)

// generator makes the rows of a \copy_rows or \insert_rows. A row depends on its number, on the client's variables
// and, if used, on its random numbers: rows that use :row alone are the same for all clients.
type generator struct {
	name  string
	rows  *script.Rows
	copy  []byte // the statement
	head  string // of the INSERT
	texts []text

	mu         sync.Mutex
	statements map[int64]*session.Statement // INSERTs with parameters, by the number of rows
	columns    []column                     // of a binary COPY, once known
}

// text is a generated text in each format, with the literal's special characters already escaped.
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

// appendSQLValue writes a value into SQL. NaN and the infinities need quotes.
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

// keptStatements is how many prepared statements a command keeps, one for each number of rows.
const keptStatements = 100

// statement returns the INSERT for a number of rows. It keeps at most keptStatements of them.
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
