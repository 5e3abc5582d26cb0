package session

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/realiops/realiops/internal/printable"
)

// Result is the outcome of one statement.
type Result struct {
	Affected int64 // rows inserted, updated, deleted, merged or copied in
	Returned int64 // rows sent to us, kept or not
	// Err is a *pgconn.PgError, [ErrAborted] or [ErrCopy]; the session goes on.
	Err error
}

// progress records how far the answers to a batch have been read.
type progress struct {
	latest    Result
	current   int  // the segment whose answers are being read
	answered  int  // its statements that have their result
	failures  int  // its errors
	skipped   int  // skipped statements whose results are still to be returned
	copyOut   bool // the rows of the statement come as a COPY
	refused   bool // the statement is a COPY that was sent no rows
	wantRows  bool // the caller has rows for a COPY
	acceptsIn bool // and the server waits for them
	row       row
}

// Next sends the batch, if necessary, and waits for the next result. It returns false when none is left, or when the
// session has ended: then Err says why.
//
// Every statement has one result, in order. An extra one with an error comes if the server fails at a Sync: it
// commits there, and a serialization failure or a deferred constraint may show only then.
func (s *Session) Next() bool {
	if s.err != nil || len(s.batch) == 0 {
		return false
	}
	s.latest, s.copyOut, s.refused = Result{}, false, false
	s.row.reset()
	if s.open {
		s.Sync()
	}
	found, err := s.read()
	if err != nil {
		s.lose(err)
	}
	return found
}

// Result returns the result that Next read.
func (s *Session) Result() Result { return s.latest }

// Finish sends the batch, if necessary, reads all remaining results, and returns their sums and the first error of
// the server. The second value is Err.
func (s *Session) Finish() (all Result, err error) {
	for s.Next() {
		all.Affected += s.latest.Affected
		all.Returned += s.latest.Returned
		if all.Err == nil {
			all.Err = s.latest.Err
		}
	}
	return all, s.err
}

func (s *Session) read() (bool, error) {
	if s.tooLarge {
		return false, ErrTooLarge
	}
	for {
		if s.skipped > 0 {
			s.skipped--
			s.latest = Result{Err: ErrAborted}
			return true, nil
		}
		if s.current == len(s.batch) {
			s.endBatch()
			return false, nil
		}
		kind, body, err := s.message()
		if err != nil {
			return false, err
		}
		if found, err := s.take(kind, body); found || err != nil {
			return found && err == nil, err
		}
	}
}

// take processes a message and reports whether it completes a result.
func (s *Session) take(kind byte, body []byte) (bool, error) {
	switch kind {
	case msgDataRow:
		s.latest.Returned++
		return false, s.keepRow(body)
	case msgParseComplete:
		return false, s.noteParsed()
	case msgCommandComplete:
		s.committed.complete(s.latest.count(body, s.copyOut), s.latest.Affected)
		return true, s.answer()
	case msgEmptyQuery:
		return true, s.answer()
	case msgError:
		s.answered++
		return true, s.fail(body)
	case msgReady:
		return false, s.becomeReady(body)
	case msgRowDescription:
		return false, s.keepNames(body)
	case msgCopyOutResponse:
		s.copyOut = true
		return false, nil
	case msgCopyInResponse:
		return s.acceptCopy()
	}
	if strings.IndexByte(dropped, kind) < 0 {
		return false, protocolError("unexpected message %q", kind)
	}
	return false, nil
}

func (s *Session) answer() error {
	s.answered++
	if segment := &s.batch[s.current]; !segment.simple && s.answered > segment.statements {
		return protocolError("more results than statements")
	}
	return nil
}

// mostFailures bounds the errors in answer to one segment, which has one, or few. PostgreSQL sends one after the other
// without end if it cannot convert a role's name after SET SESSION AUTHORIZATION.
const mostFailures = 10

// fail processes an ErrorResponse. After a FATAL error the session ends.
func (s *Session) fail(body []byte) error {
	var message pgproto3.ErrorResponse
	if err := message.Decode(body); err != nil {
		return protocolError("truncated error message")
	}
	s.committed.failed = true
	refusal := pgconn.ErrorResponseToPgError(&message)
	s.latest.Err = refusal
	if s.refused {
		s.latest.Err = ErrCopy
	}
	if s.failures++; s.failures > mostFailures {
		return protocolError("more than %d errors in one answer: %s", mostFailures, refusal.Message)
	}
	switch cmp.Or(refusal.SeverityUnlocalized, refusal.Severity) {
	case "FATAL", "PANIC":
		return refusal
	}
	return nil
}

// noteParsed marks the oldest statement being parsed as known to the server.
func (s *Session) noteParsed() error {
	segment := &s.batch[s.current]
	if segment.parses == 0 {
		return protocolError("more statements parsed than requested")
	}
	segment.parses--
	if st := s.parsing[s.parsed]; st != nil {
		if s.prepared == nil {
			s.prepared = map[*Statement]struct{}{}
		}
		s.prepared[st] = struct{}{}
	}
	s.parsed++
	return nil
}

func (s *Session) becomeReady(body []byte) error {
	if len(body) != 1 {
		return protocolError("ReadyForQuery with a body of %s bytes", printable.Count(len(body)))
	}
	s.status = Status(body[0])
	s.committed.ready(s.status)
	segment := &s.batch[s.current]
	s.parsed += segment.parses // the rest was skipped
	s.skipped = max(segment.statements-s.answered, 0)
	s.current++
	s.answered, s.failures = 0, 0
	return nil
}

// endBatch prepares the session for the next batch.
func (s *Session) endBatch() {
	s.wire.awaitSent()
	s.out, s.batch, s.parsing = s.out[:0], s.batch[:0], s.parsing[:0]
	s.flown, s.keep, s.current, s.parsed = false, false, 0, 0
	if s.r == s.w {
		s.release()
	}
}

// count parses the number at the end of a command tag: INSERT 0 5, SELECT 3, CREATE TABLE. It returns the verb.
func (r *Result) count(tag []byte, copyOut bool) string {
	verb, rest, _ := bytes.Cut(bytes.TrimRight(tag, "\x00"), []byte{' '})
	n := lastNumber(rest)
	name := verbOf(verb)
	switch name {
	case "INSERT", "UPDATE", "DELETE", "MERGE":
		r.Affected = n
	case "COPY":
		if copyOut {
			r.Returned = n
		} else {
			r.Affected = n
		}
	case "SELECT":
		if r.Returned == 0 { // CREATE TABLE AS, SELECT INTO: the rows went into a table
			r.Affected = n
		}
	}
	return name
}

// verbOf returns a verb as a shared string: a tag comes with every statement.
func verbOf(verb []byte) string {
	switch string(verb) {
	case "INSERT":
		return "INSERT"
	case "UPDATE":
		return "UPDATE"
	case "SELECT":
		return "SELECT"
	case "BEGIN":
		return "BEGIN"
	case "COMMIT":
		return "COMMIT"
	default:
		return string(verb)
	}
}

func lastNumber(b []byte) (n int64) {
	digits := b[bytes.LastIndexByte(b, ' ')+1:]
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0
		}
		n = n*10 + int64(d-'0')
	}
	return n
}

// committed counts the rows that are permanent: a transaction's rows count once the server has committed it.
type committed struct {
	rows       int64
	pending    int64   // of the current transaction
	savepoints []int64 // what was pending at each, the latest last
	rolledBack bool    // a ROLLBACK was the last to end a transaction or savepoint since the server was ready
	failed     bool    // a statement failed since then
}

// complete records a statement that the server has executed, by the verb of its tag.
func (c *committed) complete(verb string, affected int64) {
	switch verb {
	case "COMMIT", "PREPARE":
		c.end(true)
	case "SAVEPOINT":
		c.savepoints = append(c.savepoints, c.pending)
	case "RELEASE":
		c.savepoints = c.savepoints[:max(len(c.savepoints)-1, 0)]
	case "ROLLBACK": // of all, or to a savepoint: the next ReadyForQuery shows which
		c.rolledBack, c.pending = true, 0
		if n := len(c.savepoints); n > 0 {
			c.pending = c.savepoints[n-1]
		}
	case "BEGIN", "START":
		c.rolledBack = false
	default:
		c.pending += affected
	}
}

// ready records the transaction's state once the server has answered all requests.
func (c *committed) ready(s Status) {
	if s == Idle {
		c.end(!c.failed && !(c.rolledBack && len(c.savepoints) > 0))
	}
	c.rolledBack, c.failed = false, false
}

func (c *committed) end(done bool) {
	if done {
		c.rows += c.pending
	}
	c.pending, c.savepoints, c.rolledBack = 0, c.savepoints[:0], false
}
