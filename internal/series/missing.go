package series

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Reason says in a word why a number is not there. A source has reasons of its own; these two are found here.
type Reason string

// InWords returns the reason for people.
func (r Reason) InWords() string { return strings.ReplaceAll(string(r), "-", " ") }

// Reasons that a series itself has.
const (
	Reset     Reason = "reset"      // the counter started anew
	NeverRead Reason = "never-read" // nobody looked
)

// Gap is a moment from which on a value is not known, until it is read again. A reset is a gap of another sort: the
// value is known, but not what it grew by.
type Gap struct {
	At     time.Time
	Reason Reason
	Code   string // SQLSTATE, HTTP status, errno
	Detail string
}

func (g Gap) missing() *Missing { return &Missing{Reason: g.Reason, Code: g.Code, Detail: g.Detail} }

// Missing is the error of a number that is not there, and why.
type Missing struct {
	Reason Reason `json:"reason"`
	Code   string `json:"code,omitempty"` // SQLSTATE, HTTP status, errno
	Detail string `json:"detail,omitempty"`
}

// Error says it for people, who know no reasons in a word, and no codes that are words of this program.
func (m *Missing) Error() string {
	text := cmp.Or(m.Detail, m.Reason.InWords())
	if m.Reason == Reset && strings.HasPrefix(text, "fell ") { // as probes record it
		text = "the counter was reset: it " + text
	}
	if m.Code != "" && m.Code != strings.ToLower(m.Code) || strings.ContainsAny(m.Code, "0123456789") {
		text += " (" + m.Code + ")"
	}
	return text
}

func fell(before float64, p Point) *Missing {
	detail := fmt.Sprintf("fell from %s to %s by %s", plain(before), plain(p.Value), clockTime(p.At))
	return &Missing{Reason: Reset, Detail: detail}
}

// plain writes a counter without an exponent.
func plain(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

func clockTime(t time.Time) string { return t.UTC().Format("15:04:05.000") }
