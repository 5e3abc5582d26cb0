package engine

import (
	"errors"
	"fmt"
	"io"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// rowsAtOnce is how many rows are made between two checks of the buffer.
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

// stream returns a function that appends the next few rows.
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

// maxParameters is the protocol's limit per statement.
const maxParameters = 65535

// insertRows runs \insert_rows. For zero rows it sends nothing.
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

// mostText bounds the text of an INSERT, in bytes. PostgreSQL takes a gigabyte, but every client would hold one.
const mostText = 64 << 20

var errTooMuchText = fmt.Errorf(
	`INSERT larger than %d MiB; make fewer rows, or use \copy_rows, which streams them`, mostText>>20)

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

var errTooManyParameters = errors.New("more than 65,535 values in one statement; make fewer rows, or use the simple " +
	"protocol")

// insertParameters adds an INSERT with its values as parameters, prepared if the mode says so.
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
