package postgres

import (
	"fmt"
	"hash/crc32"
	"strings"
)

// longestText is how many runes of a statement are kept. A longer one ends with a checksum,
// so that two remain different.
const longestText = 1000

// WithoutLiterals returns a statement on one line without its strings, numbers and comments, which may hold private
// data. pg_stat_statements replaces most of them by $1, but not in every statement or version.
func WithoutLiterals(sql string) string {
	l := &literals{rest: sql}
	for l.rest != "" {
		l.step()
	}
	text := strings.Join(strings.Fields(l.out.String()), " ")
	if runes := []rune(text); len(runes) > longestText {
		end := fmt.Sprintf("… (%08x)", crc32.ChecksumIEEE([]byte(text)))
		return string(runes[:longestText-len([]rune(end))]) + end
	}
	return text
}

type literals struct {
	rest string
	out  strings.Builder
	word bool // the last byte belongs to a name, so a digit after it is not a number
}

func (l *literals) step() {
	switch c := l.rest[0]; {
	case c == '\'':
		l.skip(endOfString(l.rest), "?")
	case c == '"':
		l.keep(1 + endAfter(l.rest[1:], `"`))
	case c == '$' && !l.word && dollarTag(l.rest) != "":
		tag := dollarTag(l.rest)
		l.skip(endAfter(l.rest[len(tag):], tag)+len(tag), "?")
	case strings.HasPrefix(l.rest, "--"):
		l.skip(endAfter(l.rest, "\n"), " ")
	case strings.HasPrefix(l.rest, "/*"):
		l.skip(endOfComment(l.rest), " ")
	case isDigit(c) && !l.word:
		l.skip(endOfNumber(l.rest), "?")
	default:
		l.keep(1)
		l.word = isDigit(c) || c == '_' || c == '$' || c >= 0x80 || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
}

func (l *literals) skip(n int, instead string) {
	l.rest, l.word = l.rest[n:], false
	l.out.WriteString(instead)
}

func (l *literals) keep(n int) {
	l.out.WriteString(l.rest[:n])
	l.rest, l.word = l.rest[n:], false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// endAfter returns the index after the first mark in text, or the length of text if there is none.
func endAfter(text, mark string) int {
	if i := strings.Index(text, mark); i >= 0 {
		return i + len(mark)
	}
	return len(text)
}

// endOfString returns the index after a string with doubled quotes. A setting decides whether a backslash escapes, so
// after one the rest of the text counts as part of the string.
func endOfString(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			return len(text)
		case text[i] == '\'' && i+1 < len(text) && text[i+1] == '\'':
			i++
		case text[i] == '\'':
			return i + 1
		}
	}
	return len(text)
}

// endOfComment allows nested comments.
func endOfComment(text string) int {
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

func endOfNumber(text string) int {
	end := 1
	for end < len(text) && (isDigit(text[end]) || strings.ContainsRune(".xXoObB_abcdefABCDEF", rune(text[end]))) {
		end++
	}
	return end
}

// dollarTag returns the opening of a dollar-quoted string, $$ or $tag$, or "", as at $1.
func dollarTag(text string) string {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '$':
			return text[:i+1]
		case !(c == '_' || c >= 0x80 || c|0x20 >= 'a' && c|0x20 <= 'z' || i > 1 && isDigit(c)):
			return ""
		}
	}
	return ""
}
