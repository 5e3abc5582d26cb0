package runfile

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Row is a reading for readers of long runs, with Names and Values side by side instead of a map. Names is the same
// slice as in an earlier row if the names are equal, so that lookups by name can be cached. Values is only valid until
// the next record.
type Row struct {
	At     time.Time
	Took   float64
	Probe  string
	Names  []string
	Values []float64
}

// Kind returns KindRead.
func (Row) Kind() Kind { return KindRead }

// Reading returns the row as a Reading with its own map.
func (r Row) Reading() Reading {
	values := make(map[string]float64, len(r.Names))
	for i, name := range r.Names {
		values[name] = r.Values[i]
	}
	return Reading{At: r.At, Took: r.Took, Probe: r.Probe, Values: values}
}

// Row returns the reading as a Row.
func (r Reading) Row() Row {
	names := slices.Sorted(maps.Keys(r.Values))
	values := make([]float64, len(names))
	for i, name := range names {
		values[i] = r.Values[name]
	}
	return Row{At: r.At, Took: r.Took, Probe: r.Probe, Names: names, Values: values}
}

// shape is the names of a row, and their form in its line: each with its quotes and its colon.
type shape struct {
	names []string
	keys  [][]byte
}

// mostShapes is the number of shapes cached per probe: some of its metrics are read less often than others.
const mostShapes = 4

// rowDecoder decodes lines that this package wrote, and reuses what consecutive lines have in common. It accepts one
// spelling, that of encoding/json, and rejects any other line.
type rowDecoder struct {
	shapes map[string][]*shape // by probe, the last match first
	values []float64           // of all rows of a block
}

func newRowDecoder() *rowDecoder { return &rowDecoder{shapes: map[string][]*shape{}} }

// decode decodes a line; false if it has another spelling.
func (d *rowDecoder) decode(line []byte) (row Row, ok bool) {
	c := cursor{rest: bytes.TrimRight(line, "\r\n")}
	var at, probe []byte
	if !c.skip(`{"kind":"read","at":`) || !c.text(&at) || row.At.UnmarshalText(at) != nil ||
		!c.skip(`,"took":`) || !c.number(&row.Took) ||
		!c.skip(`,"probe":`) || !c.text(&probe) || !c.skip(`,"values":{`) {
		return row, false
	}
	shapes, known := d.shapes[string(probe)]
	row.Probe = string(probe)
	begin := len(d.values)
	for i, s := range shapes {
		if d.fill(c, s) {
			copy(shapes[1:i+1], shapes[:i])
			shapes[0] = s
			row.Names, row.Values = s.names, d.values[begin:len(d.values):len(d.values)]
			return row, true
		}
		d.values = d.values[:begin]
	}
	s, isShape := newShape(c)
	if !isShape || !d.fill(c, s) {
		d.values = d.values[:begin]
		return row, false
	}
	if !known || len(shapes) < mostShapes {
		shapes = append(shapes, nil)
	}
	copy(shapes[1:], shapes)
	shapes[0] = s
	d.shapes[row.Probe] = shapes
	row.Names, row.Values = s.names, d.values[begin:len(d.values):len(d.values)]
	return row, true
}

// fill reads the values of a line that has this shape.
func (d *rowDecoder) fill(c cursor, s *shape) bool {
	var value float64
	for i, key := range s.keys {
		if i > 0 && !c.skip(",") || !bytes.HasPrefix(c.rest, key) {
			return false
		}
		c.rest = c.rest[len(key):]
		if !c.number(&value) {
			return false
		}
		d.values = append(d.values, value)
	}
	return c.skip("}}") && len(c.rest) == 0
}

// newShape takes the names from a line. It fails without values, or if a name occurs twice.
func newShape(c cursor) (*shape, bool) {
	s, seen := &shape{}, map[string]bool{}
	for {
		before := c.rest
		var name []byte
		var value float64
		if !c.text(&name) || !c.skip(":") || seen[string(name)] {
			return nil, false
		}
		key := bytes.Clone(before[:len(before)-len(c.rest)])
		s.names, s.keys = append(s.names, string(name)), append(s.keys, key)
		seen[string(name)] = true
		if !c.number(&value) {
			return nil, false
		}
		if !c.skip(",") {
			return s, true
		}
	}
}

// cursor walks through a line.
type cursor struct{ rest []byte }

func (c *cursor) skip(text string) bool {
	if len(c.rest) < len(text) || string(c.rest[:len(text)]) != text {
		return false
	}
	c.rest = c.rest[len(text):]
	return true
}

// text parses a string in quotes of plain characters only: nothing escaped, nothing outside ASCII.
func (c *cursor) text(inside *[]byte) bool {
	if len(c.rest) == 0 || c.rest[0] != '"' {
		return false
	}
	end := bytes.IndexByte(c.rest[1:], '"')
	if end < 0 || !plain(c.rest[1:end+1]) {
		return false
	}
	*inside, c.rest = c.rest[1:end+1], c.rest[end+2:]
	return true
}

// plain reports whether text needs no escaping in quotes. A histogram has thousands of characters, so it checks eight
// at a time.
func plain(text []byte) bool {
	const each, high = 0x0101010101010101, 0x8080808080808080
	if bytes.IndexByte(text, '\\') >= 0 {
		return false
	}
	for ; len(text) >= 8; text = text[8:] {
		if eight := binary.LittleEndian.Uint64(text); (eight|(eight-0x20*each)|(eight+each))&high != 0 {
			return false
		}
	}
	for _, b := range text {
		if b < 0x20 || b >= 0x7f {
			return false
		}
	}
	return true
}

// exactDigits is the number of decimal digits that a float64 always holds without rounding.
const exactDigits = 15

// number parses a JSON number (RFC 8259, section 6).
func (c *cursor) number(value *float64) bool {
	digits, whole, rest := 0, uint64(0), c.rest
	for digits < len(rest) && isDigit(rest[digits]) {
		whole = whole*10 + uint64(rest[digits]-'0')
		digits++
	}
	plain := digits > 0 && digits <= exactDigits && (digits == 1 || c.rest[0] != '0')
	if plain && digits < len(c.rest) && (c.rest[digits] == ',' || c.rest[digits] == '}') {
		*value, c.rest = float64(whole), c.rest[digits:]
		return true
	}
	return c.anyNumber(value)
}

func (c *cursor) anyNumber(value *float64) bool {
	n := numberLength(c.rest)
	if n == 0 {
		return false
	}
	parsed, err := strconv.ParseFloat(string(c.rest[:n]), 64)
	if err != nil { // out of range
		return false
	}
	*value, c.rest = parsed, c.rest[n:]
	return true
}

// numberLength returns the length of the number that text begins with; 0 if none.
func numberLength(text []byte) (i int) {
	digits := func() bool {
		begin := i
		for i < len(text) && isDigit(text[i]) {
			i++
		}
		return i > begin
	}
	one := func(of string) bool {
		if i < len(text) && bytes.IndexByte([]byte(of), text[i]) >= 0 {
			i++
			return true
		}
		return false
	}
	one("-")
	if !one("0") && !digits() {
		return 0
	}
	if one(".") && !digits() {
		return 0
	}
	if one("eE") {
		one("+-")
		if !digits() {
			return 0
		}
	}
	return i
}

func isDigit(b byte) bool { return b-'0' <= 9 }
