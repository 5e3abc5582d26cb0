package engine

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// The frame of a binary COPY: signature, flags and length of the header's extension; and the trailer.
var (
	binaryHeader  = []byte("PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	binaryTrailer = []byte{0xff, 0xff}
)

// column is a column of a table, and how to write its type in binary.
type column struct {
	name, typeName string
	write          valueWriter // nil if the type is sent as text
	prefix         string      // of a text
}

// valueWriter appends a value other than NULL with its length before it. fits is false if the type cannot hold it.
type valueWriter func(dst []byte, v script.Value) (written []byte, fits bool)

// binaryRow returns the writer of a generator's rows. It asks the server for the types of the columns once.
func (c *client) binaryRow(g *generator) (rowWriter, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.columns == nil {
		columns, err := c.askColumns(g.rows)
		if err != nil {
			return nil, err
		}
		g.columns = columns
	}
	return g.appendBinaryRow, nil
}

// askColumns asks for the base types of columns, which works on an empty table, too.
func (c *client) askColumns(r *script.Rows) ([]column, error) {
	var asked []string
	for _, name := range r.Columns {
		asked = append(asked, "(select pg_catalog.format_type(case when typbasetype operator(pg_catalog.=) '0' then "+
			"oid else typbasetype end, null) from pg_catalog.pg_type where oid operator(pg_catalog.=) "+
			"pg_catalog.pg_typeof(target."+name+"))")
	}
	query := "select " + strings.Join(asked, ", ") + " from (select) as nothing left join " + r.Table +
		" as target on false"
	c.session.Query([]byte(query), true)
	var failure error
	for c.session.Next() {
		if failure == nil {
			failure = c.session.Result().Err
		}
		c.keepRow()
	}
	if lost := c.session.Err(); lost != nil {
		return nil, lost
	}
	if failure != nil {
		return nil, failure
	}
	columns := make([]column, len(r.Columns))
	for i, f := range c.scratch.row {
		var err error
		if columns[i], err = newColumn(r.Columns[i], f.value, r.Items[i].Text != nil); err != nil {
			return nil, err
		}
	}
	return columns, nil
}

func newColumn(name, typeName string, text bool) (column, error) {
	c := column{name: name, typeName: typeName}
	switch typeName {
	case "jsonb":
		c.prefix = "\x01"
		fallthrough
	case "text", "character varying", "character", "name", "json", "xml", "bytea":
		return c, nil
	}
	if text {
		return c, fmt.Errorf("column %s is of type %s, but its values are text; use format text", name, typeName)
	}
	var known bool
	if c.write, known = valueWriters[typeName]; !known {
		return c, fmt.Errorf("column %s is of type %s, which needs format text", name, typeName)
	}
	return c, nil
}

func (g *generator) appendBinaryRow(dst []byte, env *script.Env) ([]byte, error) {
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(g.columns)))
	for i := range g.columns {
		var err error
		if dst, err = g.appendBinaryItem(dst, i, env); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (g *generator) appendBinaryItem(dst []byte, i int, env *script.Env) ([]byte, error) {
	column := &g.columns[i]
	from := len(dst)
	var v script.Value
	var err error
	if t := g.texts[i].plain; t != nil {
		dst, err = t.Append(column.beginText(dst), env)
		return endText(dst, from), err
	}
	if v, err = g.rows.Items[i].Expr.Eval(env); err != nil {
		return dst, err
	}
	switch {
	case v.Kind() == script.KindNull:
		return append(dst, 0xff, 0xff, 0xff, 0xff), nil
	case column.write == nil:
		return endText(v.AppendText(column.beginText(dst)), from), nil
	}
	dst, fits := column.write(dst, v)
	if !fits {
		return dst, fmt.Errorf("column %s of type %s cannot hold %s", column.name, column.typeName, v.AppendText(nil))
	}
	return dst, nil
}

func (c *column) beginText(dst []byte) []byte { return append(append(dst, 0, 0, 0, 0), c.prefix...) }

func endText(dst []byte, from int) []byte {
	binary.BigEndian.PutUint32(dst[from:], uint32(len(dst)-from-4))
	return dst
}

var valueWriters = map[string]valueWriter{
	"smallint": func(dst []byte, v script.Value) ([]byte, bool) {
		i, fits := integer(v, math.MinInt16, math.MaxInt16)
		return binary.BigEndian.AppendUint16(append(dst, 0, 0, 0, 2), uint16(i)), fits
	},
	"integer": func(dst []byte, v script.Value) ([]byte, bool) {
		i, fits := integer(v, math.MinInt32, math.MaxInt32)
		return binary.BigEndian.AppendUint32(append(dst, 0, 0, 0, 4), uint32(i)), fits
	},
	"bigint": func(dst []byte, v script.Value) ([]byte, bool) {
		i, fits := integer(v, math.MinInt64, math.MaxInt64)
		return binary.BigEndian.AppendUint64(append(dst, 0, 0, 0, 8), uint64(i)), fits
	},
	"real": func(dst []byte, v script.Value) ([]byte, bool) {
		d, fits := double(v)
		return binary.BigEndian.AppendUint32(append(dst, 0, 0, 0, 4), math.Float32bits(float32(d))), fits
	},
	"double precision": func(dst []byte, v script.Value) ([]byte, bool) {
		d, fits := double(v)
		return binary.BigEndian.AppendUint64(append(dst, 0, 0, 0, 8), math.Float64bits(d)), fits
	},
	"boolean": func(dst []byte, v script.Value) ([]byte, bool) {
		b := byte(0)
		if v.Bool() {
			b = 1
		}
		return append(dst, 0, 0, 0, 1, b), v.Kind() == script.KindBool
	},
	"numeric": appendNumeric,
}

func integer(v script.Value, low, high int64) (int64, bool) {
	i := v.Int()
	if v.Kind() == script.KindDouble {
		d := v.Double()
		if d != math.Trunc(d) || d < -0x1p63 || d >= 0x1p63 {
			return 0, false
		}
		i = int64(d)
	}
	return i, v.Kind() != script.KindBool && low <= i && i <= high
}

func double(v script.Value) (float64, bool) {
	if v.Kind() == script.KindInt {
		return float64(v.Int()), true
	}
	return v.Double(), v.Kind() == script.KindDouble
}

const (
	numericNegative = 0x4000
	numericNaN      = 0xc000
)

// appendNumeric writes digits in base 10,000 with weight, sign and scale, as numeric_send in PostgreSQL does.
func appendNumeric(dst []byte, v script.Value) ([]byte, bool) {
	if v.Kind() == script.KindDouble && (math.IsNaN(v.Double()) || math.IsInf(v.Double(), 0)) {
		return append(dst, 0, 0, 0, 8, 0, 0, 0, 0, numericNaN>>8, 0, 0, 0), math.IsNaN(v.Double())
	}
	if v.Kind() == script.KindBool {
		return dst, false
	}
	text := string(v.AppendText(nil))
	if strings.Contains(text, "e") {
		d, _ := strconv.ParseFloat(text, 64) // valid by construction
		text = strconv.FormatFloat(d, 'f', -1, 64)
	}
	text, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(text, ".")
	scale := len(fraction)
	whole = strings.Repeat("0", -len(whole)&3) + whole
	fraction += strings.Repeat("0", -len(fraction)&3)
	groups := whole + fraction
	sign := uint16(0)
	if negative {
		sign = numericNegative
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(8+len(groups)/2))
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(groups)/4))
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(whole)/4-1))
	dst = binary.BigEndian.AppendUint16(dst, sign)
	dst = binary.BigEndian.AppendUint16(dst, uint16(scale))
	for ; groups != ""; groups = groups[4:] {
		group, _ := strconv.Atoi(groups[:4]) // digits
		dst = binary.BigEndian.AppendUint16(dst, uint16(group))
	}
	return dst, true
}
