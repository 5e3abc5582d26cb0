package session

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// afterName is the size of a RowDescription field after its name: table, attribute, type, size, modifier, format.
const afterName = 4 + 2 + 4 + 2 + 4 + 2

// keepRowUpTo bounds the row buffers that an idle session keeps.
const keepRowUpTo = 4 << 10

// row is the last row of a result as received, both messages checked.
type row struct{ names, values []byte }

func (r *row) reset() {
	if cap(r.names)+cap(r.values) > keepRowUpTo {
		r.names, r.values = nil, nil
	}
	r.names, r.values = r.names[:0], r.values[:0]
}

// Row returns the names and text values of the last row of Next's result. A NULL value is nil. It yields nothing if
// the request did not ask to keep the row, or there was no row. They are valid until the next call of Next.
func (s *Session) Row() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		if len(s.row.names) == 0 || len(s.row.values) == 0 {
			return
		}
		names, values := s.row.names[2:], s.row.values[2:]
		for len(values) > 0 {
			var name, value []byte
			name, names, _ = cutName(names)
			value, values, _ = cutValue(values)
			if !yield(name, value) {
				return
			}
		}
	}
}

func (s *Session) keepNames(body []byte) error {
	if !s.keep {
		return nil
	}
	if !wellFormed(body, cutName) {
		return protocolError("malformed row description")
	}
	s.row.names = append(s.row.names[:0], body...)
	return nil
}

func (s *Session) keepRow(body []byte) error {
	if !s.keep || len(s.row.names) == 0 { // a statement of the batch that did not ask
		return nil
	}
	if !wellFormed(body, cutValue) || !bytes.Equal(body[:2], s.row.names[:2]) {
		return protocolError("malformed row")
	}
	s.row.values = append(s.row.values[:0], body...)
	return nil
}

// cutName splits a column off a RowDescription.
func cutName(b []byte) (name, rest []byte, ok bool) {
	name, rest, ok = bytes.Cut(b, []byte{0})
	if !ok || len(rest) < afterName {
		return nil, nil, false
	}
	return name, rest[afterName:], true
}

// cutValue splits a column off a DataRow; the length -1 is NULL.
func cutValue(b []byte) (value, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	length := int32(binary.BigEndian.Uint32(b))
	b = b[4:]
	if length == -1 {
		return nil, b, true
	}
	if length < 0 || int(length) > len(b) {
		return nil, nil, false
	}
	return b[:length:length], b[length:], true
}

// wellFormed reports whether a message has exactly the columns that it claims.
func wellFormed(body []byte, cut func([]byte) (column, rest []byte, ok bool)) bool {
	if len(body) < 2 {
		return false
	}
	rest := body[2:]
	for range binary.BigEndian.Uint16(body) {
		var ok bool
		if _, rest, ok = cut(rest); !ok {
			return false
		}
	}
	return len(rest) == 0
}
