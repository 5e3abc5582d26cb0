package script

import (
	"fmt"
	"strings"
)

type source struct {
	name, text string
	pos        int
}

// ParseError is an error in a script, with its place.
type ParseError struct {
	File         string
	Line, Column int
	Command      string // the meta-command; "" in SQL
	Message      string
}

func (e *ParseError) Error() string {
	command := ""
	if e.Command != "" {
		command = "\\" + e.Command + ": "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", e.File, e.Line, e.Column, command, e.Message)
}

func (s *source) errorAt(pos int, command, format string, args ...any) error {
	lineStart := strings.LastIndexByte(s.text[:pos], '\n') + 1
	return &ParseError{
		File: s.name, Line: s.line(pos), Column: pos - lineStart + 1, Command: command,
		Message: fmt.Sprintf(format, args...),
	}
}

func (s *source) line(pos int) int { return 1 + strings.Count(s.text[:pos], "\n") }

func (s *source) done() bool { return s.pos >= len(s.text) }

// at returns the byte at that distance, or 0 past the end.
func (s *source) at(ahead int) byte {
	if i := s.pos + ahead; i < len(s.text) {
		return s.text[i]
	}
	return 0
}

func (s *source) rest() string { return s.text[min(s.pos, len(s.text)):] }

// skip moves on, at most to the end.
func (s *source) skip(n int) { s.pos = min(s.pos+n, len(s.text)) }

// skipTo moves past the next occurrence of mark, or to the end.
func (s *source) skipTo(mark string) (found bool) {
	i := strings.Index(s.rest(), mark)
	if i < 0 {
		s.pos = len(s.text)
		return false
	}
	s.pos += i + len(mark)
	return true
}

// skipWhile moves over the bytes that ok accepts.
func (s *source) skipWhile(ok func(byte) bool) {
	for !s.done() && ok(s.text[s.pos]) {
		s.pos++
	}
}

// continuation returns the length of a backslash and newline that join two lines of a meta-command, or 0.
func (s *source) continuation() int {
	switch {
	case strings.HasPrefix(s.rest(), "\\\n"):
		return 2
	case strings.HasPrefix(s.rest(), "\\\r\n"):
		return 3
	default:
		return 0
	}
}

// skipBlank moves over the space between the words of a meta-command.
func (s *source) skipBlank() {
	for {
		s.skipWhile(isBlank)
		n := s.continuation()
		if n == 0 {
			return
		}
		s.skip(n)
	}
}

// word reads one word of a meta-command, or "" at its end. It stops before the newline.
func (s *source) word() string {
	s.skipBlank()
	start := s.pos
	for !s.done() && !isBlank(s.at(0)) && s.at(0) != '\n' && s.continuation() == 0 {
		s.pos++
	}
	return s.text[start:s.pos]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isLetter accepts every byte beyond ASCII, so that the encoding does not matter.
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c >= 0x80 }

func isNameByte(c byte) bool { return isLetter(c) || isDigit(c) }

// isBlank reports space that does not end a meta-command.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' }

// isSpace reports one of the six space characters of psql and pgbench.
func isSpace(c byte) bool { return isBlank(c) || c == '\n' }
