package script

import (
	"fmt"
)

// Rows is \copy_rows or \insert_rows, which generate rows and send them in one statement, as COPY or as an INSERT of
// many VALUES:
//
//	\copy_rows   TABLE (column, …) rows COUNT values (item, …) [format text|binary]
//	\insert_rows TABLE (column, …) rows COUNT values (item, …)
//
// COUNT is an expression, evaluated once. An item is evaluated for each row: an expression, in which :row counts the
// rows from 1, or a text: 'literal', repeat('literal', times) or random_text(length), of lower case letters and digits.
// Table and columns are taken as SQL takes them, quotes and all.
type Rows struct {
	Table   string
	Columns []string
	Count   *Expr
	Items   []Item
	Binary  bool // the format of COPY
}

// Item is one column of generated rows: an expression, or a text.
type Item struct {
	Expr *Expr // nil for a text
	Text *Text // nil for an expression
}

// Text is a generated text.
type Text struct {
	Literal string // to be repeated; "" for a random text
	Times   *Expr  // how often, or how many characters of a random text; nil for once
}

// NumberOf evaluates the number of rows.
func (r *Rows) NumberOf(env *Env) (int64, error) {
	n, err := count(r.Count, env)
	if err != nil {
		return 0, fmt.Errorf("number of rows: %w", err)
	}
	return n, nil
}

// count evaluates an expression that must be neither NULL nor negative.
func count(e *Expr, env *Env) (int64, error) {
	v, err := e.Eval(env)
	if err != nil {
		return 0, err
	}
	n, err := v.toInt()
	if err == nil && n < 0 {
		err = fmt.Errorf("%d is negative", n)
	}
	return n, err
}

// maxText bounds a generated text, in bytes, by PostgreSQL's limit for one value.
const maxText = 1 << 30

// Append appends the text for the current row.
func (t *Text) Append(dst []byte, env *Env) ([]byte, error) {
	if t.Times == nil {
		return append(dst, t.Literal...), nil
	}
	n, err := count(t.Times, env)
	if err != nil {
		return dst, fmt.Errorf("length of text: %w", err)
	}
	if n > maxText || n*int64(len(t.Literal)) > maxText {
		return dst, fmt.Errorf("length of text: %d exceeds 1 GiB", n)
	}
	if t.Literal == "" {
		return env.Random.appendText(dst, n), nil
	}
	for range n {
		dst = append(dst, t.Literal...)
	}
	return dst, nil
}

// alphabet has 32 characters, so that five random bits choose one.
const alphabet = "abcdefghijklmnopqrstuvwxyz234567"

// appendText draws twelve characters at a time.
func (r *Random) appendText(dst []byte, n int64) []byte {
	for n > 0 {
		bits := r.Uint64() >> 4
		for range min(n, 12) {
			dst = append(dst, alphabet[bits&31])
			bits >>= 5
		}
		n -= 12
	}
	return dst
}
