package series

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Reason is a short reason why a number is missing. Sources have their own reasons; these two are found here.
type Reason string

// InWords returns the reason for people.
func (r Reason) InWords() string { return strings.ReplaceAll(string(r), "-", " ") }

// The reasons of a series itself.
const (
	Reset     Reason = "reset"      // the counter was reset
	NeverRead Reason = "never-read" // nobody read it
)

// Gap is a moment from which on a value is unknown, until it is read again. A reset is a special gap: the value is
// known, but not its growth.
type Gap struct {
	At     time.Time
	Reason Reason
	Code   string // SQLSTATE, HTTP status, errno
	Detail string
}

func (g Gap) missing() *Missing { return &Missing{Reason: g.Reason, Code: g.Code, Detail: g.Detail} }

// Missing is the error for a missing number, with the reason.
type Missing struct {
	Reason Reason `json:"reason"`
	Code   string `json:"code,omitempty"` // SQLSTATE, HTTP status, errno
	Detail string `json:"detail,omitempty"`
}

// Error describes the reason for people, in words and without internal codes.
func (m *Missing) Error() string {
	text := cmp.Or(m.Detail, m.Reason.InWords())
	if m.Reason == Reset && strings.HasPrefix(text, "fell ") { // as recorded by probes
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

// plain formats a counter without an exponent.
func plain(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

func clockTime(t time.Time) string { return t.UTC().Format("15:04:05.000") }
