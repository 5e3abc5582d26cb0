package session

import (
	"encoding/binary"
	"slices"
)

// maxMessage is the largest message a server takes (PQ_LARGE_MESSAGE_LIMIT, 1 GiB less one).
const maxMessage = 1<<30 - 1

type requests struct {
	out      []byte
	smallOut [smallOut]byte
	lentOut  *[]byte
	tooLarge bool
	flown    bool // out has been sent

	batch    []segment    // the parts of the batch, each up to one Sync
	open     bool         // the last segment has no Sync yet
	keep     bool         // keep the last row
	parsing  []*Statement // statements in parse order, nil if unnamed
	parsed   int          // how many of parsing are done
	prepared map[*Statement]struct{}
}

// segment is a group of requests that the server answers with one ReadyForQuery.
type segment struct {
	simple             bool // a Query: its number of results is unknown
	statements, parses int
}

// Query adds SQL for the simple protocol: one or more statements, each with a result. It includes a Sync.
func (s *Session) Query(sql []byte, keepRow bool) {
	if s.open {
		s.Sync()
	}
	s.begin(len(sql) + 6)
	from := len(s.out)
	s.out = append(s.out, msgQuery, 0, 0, 0, 0)
	s.out = append(s.out, sql...)
	s.out = s.finish(append(s.out, 0), from)
	s.batch = append(s.batch, segment{simple: true})
	s.keep = s.keep || keepRow
}

// Extended adds a statement that the server parses each time. A nil argument is NULL.
func (s *Session) Extended(st *Statement, args [][]byte) {
	s.begin(len(st.parse) + sizeOf(st, args))
	s.out = append(s.out, st.parse...)
	s.execute(st, st.bind, args)
	s.parsing = append(s.parsing, nil)
	s.batch[len(s.batch)-1].parses++
}

// Prepared adds a statement that the server parses once in this session. A nil argument is NULL.
func (s *Session) Prepared(st *Statement, args [][]byte) {
	if _, known := s.prepared[st]; known || slices.Contains(s.parsing[s.parsed:], st) {
		s.begin(sizeOf(st, args))
		s.execute(st, st.bindName, args)
		return
	}
	s.begin(len(st.parseName) + sizeOf(st, args))
	s.out = append(s.out, st.parseName...)
	s.execute(st, st.bindName, args)
	s.parsing = append(s.parsing, st)
	s.batch[len(s.batch)-1].parses++
}

// Sync ends a part of a batch: an error skips requests only up to here, and outside a transaction block the part is
// committed. The end of a batch needs no Sync.
func (s *Session) Sync() {
	s.begin(5)
	s.segment()
	s.out = append(s.out, msgSync, 0, 0, 0, 4)
	s.open = false
}

// begin makes room for n bytes of a request.
func (s *Session) begin(n int) {
	if s.flown {
		panic("session: request added before all answers to the last batch were read")
	}
	if cap(s.out)-len(s.out) < n {
		s.growOut(n)
	}
}

func (s *Session) growOut(n int) {
	lent := s.dialer.buffers.borrow(max(2*cap(s.out), len(s.out)+n))
	s.out = append((*lent)[:0], s.out...)
	s.dialer.buffers.giveBack(s.lentOut)
	s.lentOut = lent
}

// segment returns the open segment for requests of the extended protocol, opening one if necessary.
func (r *requests) segment() *segment {
	if !r.open {
		r.batch = append(r.batch, segment{})
		r.open = true
	}
	return &r.batch[len(r.batch)-1]
}

// execute adds Bind and Execute.
func (r *requests) execute(st *Statement, bind []byte, args [][]byte) {
	if len(args) != st.params {
		panic("session: number of arguments differs from the statement's parameters")
	}
	from := len(r.out)
	b := append(r.out, bind...)
	for _, arg := range args {
		if arg == nil {
			b = append(b, 0xff, 0xff, 0xff, 0xff)
			continue
		}
		b = binary.BigEndian.AppendUint32(b, uint32(len(arg)))
		b = append(b, arg...)
	}
	end := len(b) + 2 // the tail begins with the end of the Bind
	b = append(b, st.tail...)
	r.finish(b[:end], from)
	r.out = b
	r.segment().statements++
	r.keep = r.keep || st.keep
}

// finish writes the length of a message, and notes a message that is too large.
func (r *requests) finish(b []byte, from int) []byte {
	r.tooLarge = r.tooLarge || len(b)-from > maxMessage
	return patch(b, from)
}

func sizeOf(st *Statement, args [][]byte) int {
	n := len(st.bindName) + len(st.tail)
	for _, arg := range args {
		n += 4 + len(arg)
	}
	return n
}
