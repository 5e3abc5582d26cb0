package session

import (
	"errors"
	"fmt"
	"io"
)

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
