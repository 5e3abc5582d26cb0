package session

import (
	"encoding/binary"
	"errors"

	"github.com/realiops/realiops/internal/printable"
)

// Messages from the server that matter.
const (
	msgCommandComplete = 'C'
	msgCopyInResponse  = 'G'
	msgCopyOutResponse = 'H'
	msgDataRow         = 'D'
	msgEmptyQuery      = 'I'
	msgError           = 'E'
	msgParseComplete   = '1'
	msgReady           = 'Z'
	msgRowDescription  = 'T'
)

// dropped holds the messages that a load generator ignores: BindComplete, CloseComplete, NotificationResponse,
// CopyDone, CopyData, NoticeResponse, NoData, ParameterStatus, ParameterDescription.
const dropped = "23AcdNnSt"

const (
	header = 5 // kind and length of a message
	// maxHeld is the longest message that is read whole: an error, or a requested row.
	maxHeld = 64 << 20
)

// answers holds bytes from the server that were received but not processed.
type answers struct {
	in      []byte
	r, w    int // unread bytes are in[r:w]
	skip    int // bytes of a dropped message still to come
	smallIn [smallIn]byte
	lentIn  *[]byte
	full    bool // a read filled the whole buffer, so there may be more

	progress
}

// message returns the next message's kind, and its body if we use it. The body is valid until the next call.
func (s *Session) message() (byte, []byte, error) {
	for {
		n := min(s.skip, s.w-s.r)
		s.r += n
		s.skip -= n
		unread := s.in[s.r:s.w]
		need := header
		if len(unread) >= header && s.skip == 0 {
			kind, length := unread[0], binary.BigEndian.Uint32(unread[1:])
			if err := s.plausible(kind, length); err != nil {
				return 0, nil, err
			}
			need = 1 + int(length)
			switch {
			case need <= len(unread):
				s.r += need
				return kind, unread[header:need], nil
			case !s.holds(kind):
				s.r += header
				s.skip = need - header
				return kind, nil, nil
			}
		}
		if err := s.fill(need); err != nil {
			return 0, nil, err
		}
	}
}

// holds reports whether we use the bodies of messages of that kind.
func (r *requests) holds(kind byte) bool {
	switch kind {
	case msgCommandComplete, msgError, msgReady:
		return true
	case msgDataRow, msgRowDescription:
		return r.keep
	default:
		return false
	}
}

func (r *requests) plausible(kind byte, length uint32) error {
	if length < 4 || length > maxMessage+4 {
		return protocolError("message %q of %s bytes", kind, printable.Count(int64(length)))
	}
	if r.holds(kind) && length > maxHeld {
		return protocolError("message %q of %s bytes exceeds the limit of %s", kind,
			printable.Count(int64(length)),
			printable.Count(maxHeld))
	}
	return nil
}

// fill sends pending requests and waits for bytes. need is the size of the incomplete message.
func (s *Session) fill(need int) error {
	s.makeRoom(need)
	var out []byte
	if !s.flown {
		out, s.flown = s.out, true
		s.sent += uint64(len(out))
	}
	s.beat.Add(1)
	n, err := s.wire.exchange(out, s.in[s.w:])
	s.beat.Add(1)
	if n == 0 {
		if err == nil {
			err = errors.New("read returned no data")
		}
		return err
	}
	s.w += n
	s.received += uint64(n)
	s.full = s.full || s.w == len(s.in)
	return nil
}

// makeRoom grows the buffer as bytes arrive, whatever length the message claims.
func (s *Session) makeRoom(need int) {
	unread := s.in[s.r:s.w]
	switch {
	case s.full && s.lentIn == nil:
		s.growIn(bigSize, unread)
	case len(unread) == len(s.in):
		s.growIn(min(2*len(s.in), need), unread)
	case s.r > 0 && s.r+need > len(s.in), len(unread) == 0:
		copy(s.in, unread)
	default:
		return
	}
	s.r, s.w = 0, len(unread)
}

func (s *Session) growIn(n int, unread []byte) {
	lent := s.dialer.buffers.borrow(n)
	copy(*lent, unread)
	s.dialer.buffers.giveBack(s.lentIn)
	s.in, s.lentIn = *lent, lent
}

// release returns the borrowed buffer. Nothing may be unread.
func (s *Session) release() {
	if s.lentOut != nil {
		s.dialer.buffers.giveBack(s.lentOut)
		s.lentOut, s.out = nil, s.smallOut[:0]
	}
	if s.lentIn != nil {
		s.dialer.buffers.giveBack(s.lentIn)
		s.lentIn, s.in = nil, s.smallIn[:]
	}
	s.r, s.w, s.full = 0, 0, false
}
