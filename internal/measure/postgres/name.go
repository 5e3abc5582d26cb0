package postgres

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Name scans the answer to [Named] as UTF-8: another user's text, such as the name of a table or a statement. Bytes
// that are not UTF-8, which a database in SQL_ASCII may hold, are written as \xFF.
type Name string

// Named returns an expression that reads a value of type text or name. If bytes are invalid in the
// client's encoding, the server refuses to send the whole answer. So from a database in SQL_ASCII, which
// has no encoding, they come in hex. All databases share the names of roles, databases and tablespaces, whatever
// encoding they are in, so bytes that are UTF-8 come in hex from any database with one byte for a letter.
func Named(text string) string {
	text = "(" + text + ")::pg_catalog.text"
	hex := "pg_catalog.encode(pg_catalog.convert_to(" + text + ", pg_catalog.getdatabaseencoding()), 'hex')"
	return "case when pg_catalog.getdatabaseencoding() = 'SQL_ASCII' or pg_catalog.pg_encoding_max_length(" +
		"pg_catalog.pg_char_to_encoding(pg_catalog.getdatabaseencoding())) = 1 and " + hex +
		" ~ '^([0-7].|(c[2-9a-f]|d.|(e.|f[0-4][89ab].)[89ab].)[89ab].)*$' then 'h' || " + hex + " else 't' || " + text + " end"
}

// ScanText implements pgtype.TextScanner. NULL is the empty name.
func (n *Name) ScanText(v pgtype.Text) error {
	text, marked := strings.CutPrefix(v.String, "t")
	if digits, is := strings.CutPrefix(v.String, "h"); is {
		bytes, err := hex.DecodeString(digits)
		if err != nil {
			return fmt.Errorf("read a name: %w", err)
		}
		text, marked = string(bytes), true
	}
	if v.Valid && !marked {
		return fmt.Errorf("read a name: %q does not come from Named", v.String)
	}
	*n = Name(writtenOut(text))
	return nil
}

// writtenOut returns the text with invalid UTF-8 bytes as \xFF.
func writtenOut(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var out strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&out, `\x%02X`, text[0])
		} else {
			out.WriteString(text[:size])
		}
		text = text[size:]
	}
	return out.String()
}

// plainName matches names that SQL takes without quotes, except for key words.
var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// Quoted returns a name for messages, quoted if SQL needs it.
func Quoted(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return pgx.Identifier{name}.Sanitize()
}

// Grant returns the statement that grants a role to the user, for messages.
func Grant(role, user string) string { return "grant " + role + " to " + Typed(user, "ROLE") }

var catalogName = regexp.MustCompile(`\bpg_\w+`)

// MissingGrant returns the statement that grants user the right on PostgreSQL's own view or function that an error
// message, in any language, says is missing. It is empty if the message names none.
func MissingGrant(message, user string) string {
	name, right := catalogName.FindString(message), "select on "
	if strings.Contains(strings.ToLower(message), "function") {
		right = "execute on function "
	}
	if name == "" {
		return ""
	}
	return "grant " + right + name + " to " + user
}

// Typed returns a name for a statement that users are told to type. It returns the placeholder if the name could not
// be copied as shown, or if a shell could interpret it.
func Typed(name, placeholder string) string {
	switch {
	case plainName.MatchString(name) && !ownWord[name]:
		return name
	case name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !typed(r) }):
		return placeholder
	default:
		return pgx.Identifier{name}.Sanitize()
	}
}

// ownWord holds SQL's words with a meaning of their own that are plausible names of roles or databases.
var ownWord = map[string]bool{
	"all": true, "analyze": true, "current_role": true, "current_user": true, "default": true, "group": true,
	"order": true, "public": true,
	"session_user": true, "table": true, "user": true,
}

// typed reports whether a character is visible, and means itself in PostgreSQL and between a shell's double quotes.
func typed(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r <= '~' && !strings.ContainsRune("\"$`\\!", r)
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector)
}
