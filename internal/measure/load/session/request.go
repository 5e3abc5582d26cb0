package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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

// chunkSize is the size at which a chunk of rows is sent. The rest of the buffer is for a row that crosses it.
const chunkSize = bigSize - 8<<10

// CopyIn runs COPY … FROM STDIN with the rows that rows appends, one or more at a time, in the statement's format.
// rows returns io.EOF with or after the last. Any other error of rows fails the COPY and is in the result. An error
// of the server stops the sending. The second value is Err.
func (s *Session) CopyIn(sql []byte, rows func(dst []byte) ([]byte, error)) (Result, error) {
	s.Query(sql, false)
	s.wantRows = true
	found := s.Next()
	accepted := s.acceptsIn
	s.wantRows, s.acceptsIn = false, false
	switch {
	case accepted:
		return s.stream(rows)
	case !found:
		return Result{}, s.err
	}
	first := s.latest
	rest, err := s.Finish()
	if first.Err == nil {
		first.Err = rest.Err
	}
	return Result{first.Affected + rest.Affected, first.Returned + rest.Returned, first.Err}, err
}

// acceptCopy reports whether the server waits for rows.
func (s *Session) acceptCopy() (bool, error) {
	if s.wantRows && !s.acceptsIn {
		s.acceptsIn = true
		return true, nil
	}
	s.refused = true
	refusal := appendCopyFail(nil, ErrCopy)
	if !s.batch[s.current].simple { // the COPY consumed the Sync after it
		refusal = append(refusal, msgSync, 0, 0, 0, 4)
	}
	s.wire.awaitSent()
	s.sent += uint64(len(refusal))
	_, err := s.wire.conn.Write(refusal)
	return false, err
}

// stream sends rows while another goroutine reads: the server may report an error at any time, and unread
// notices must not fill its socket.
func (s *Session) stream(rows func([]byte) ([]byte, error)) (Result, error) {
	answered := make(chan Result, 1)
	go func() {
		result, _ := s.Finish()
		answered <- result
	}()
	sent, failure := s.send(rows, answered)
	result := <-answered
	s.sent += sent
	if failure != nil {
		result.Err = failure
	}
	return result, s.err
}

// send sends chunks of whole rows until there are none, or the server has answered. failure is the error of rows.
func (s *Session) send(rows func([]byte) ([]byte, error), answered chan Result) (sent uint64, failure error) {
	lent := s.dialer.buffers.borrow(bigSize)
	defer s.dialer.buffers.giveBack(lent)
	chunk := *lent
	for done := false; !done && len(answered) == 0; {
		chunk, done, failure = appendChunk(chunk[:0], rows)
		n, err := s.wire.conn.Write(chunk)
		sent += uint64(n)
		s.beat.Add(2) // bytes have moved, and the reader still waits
		if err != nil {
			break // the reader learns why
		}
	}
	return sent, failure
}

// appendChunk makes a CopyData message, and adds the end of the COPY after the last row.
func appendChunk(b []byte, rows func([]byte) ([]byte, error)) (chunk []byte, done bool, failure error) {
	b = append(b, msgCopyData, 0, 0, 0, 0)
	var err error
	for err == nil && len(b) < chunkSize {
		b, err = rows(b)
	}
	b = patch(b, 0)
	switch {
	case err == nil:
		return b, false, nil
	case errors.Is(err, io.EOF):
		return append(b, msgCopyDone, 0, 0, 0, 4), true, nil
	default:
		err = fmt.Errorf("make rows for COPY: %w", err)
		return appendCopyFail(b, err), true, err
	}
}

func appendCopyFail(b []byte, why error) []byte {
	from := len(b)
	b = append(b, msgCopyFail, 0, 0, 0, 0)
	b = append(b, why.Error()...)
	return patch(append(b, 0), from)
}
