package session

import (
	"encoding/binary"
	"fmt"
	"math"
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

// Messages to the server.
const (
	msgBind      = 'B'
	msgDescribe  = 'D'
	msgExecute   = 'E'
	msgParse     = 'P'
	msgQuery     = 'Q'
	msgSync      = 'S'
	msgTerminate = 'X'
	msgCopyData  = 'd'
	msgCopyDone  = 'c'
	msgCopyFail  = 'f'
)

// Statement is SQL with parameters $1, $2 …, encoded once and shared by all sessions.
type Statement struct {
	params int
	keep   bool

	parse     []byte // Parse without a name
	bind      []byte // Bind without a name, up to the number of parameters
	parseName []byte // the same with the name
	bindName  []byte
	tail      []byte // end of Bind, Describe if the row is kept, Execute
}

// NewStatement encodes SQL with that many parameters. [Session.Prepared] prepares it under the name, which must be
// unique in the session. keepRow asks for the names and values of the last row.
func NewStatement(name, sql string, params int, keepRow bool) (*Statement, error) {
	if params < 0 || params > math.MaxUint16 {
		return nil, fmt.Errorf("a statement takes at most %d parameters, got %d", math.MaxUint16, params)
	}
	return &Statement{
		params: params, keep: keepRow, parse: encodeParse("", sql), bind: encodeBind("", params),
		parseName: encodeParse(name, sql), bindName: encodeBind(name, params), tail: encodeTail(keepRow),
	}, nil
}

// encodeParse lets the server choose the types of parameters.
func encodeParse(name, sql string) []byte {
	b := append([]byte{msgParse, 0, 0, 0, 0}, name...)
	b = append(append(b, 0), sql...)
	return patch(append(b, 0, 0, 0), 0)
}

// encodeBind begins a Bind to the unnamed portal, with all parameters as text.
func encodeBind(name string, params int) []byte {
	b := append([]byte{msgBind, 0, 0, 0, 0, 0}, name...)
	b = append(b, 0, 0, 0)
	return binary.BigEndian.AppendUint16(b, uint16(params))
}

// encodeTail ends the Bind, with all results as text, and executes the unnamed portal without a row limit.
func encodeTail(describe bool) []byte {
	b := []byte{0, 0}
	if describe {
		b = append(b, msgDescribe, 0, 0, 0, 6, 'P', 0)
	}
	return append(b, msgExecute, 0, 0, 0, 9, 0, 0, 0, 0, 0)
}

// patch writes the length of the message that begins at from and ends with b.
func patch(b []byte, from int) []byte {
	binary.BigEndian.PutUint32(b[from+1:], uint32(len(b)-from-1))
	return b
}
