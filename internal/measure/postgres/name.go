package postgres

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Name takes the answer to [Named]: text of others, such as the name of a table or a statement, in UTF-8. Bytes that
// are no UTF-8, which a database in SQL_ASCII may hold anywhere, are written out as \xFF.
type Name string

// Named returns the expression to ask for an expression of type text or name by. A server refuses to send bytes that
// are not valid in the client's encoding, and with them the whole answer; from a database in SQL_ASCII, which knows no
// letters, these come in hex.
func Named(text string) string {
	text = "(" + text + ")::pg_catalog.text"
	return "case pg_catalog.getdatabaseencoding() when 'SQL_ASCII' then 'h' || " +
		"pg_catalog.encode(pg_catalog.convert_to(" + text +
		", 'SQL_ASCII'), 'hex') else 't' || " + text + " end"
}

// ScanText is for pgx. Null is the empty name.
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
		return fmt.Errorf("read a name: %q was not asked for by Named", v.String)
	}
	*n = Name(writtenOut(text))
	return nil
}

// writtenOut returns the text with the bytes that are no UTF-8 written out.
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

// plainName matches the names that SQL takes without quotes, except for its key words.
var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// Quoted returns a name as messages show it: with the quotes that SQL needs.
func Quoted(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return pgx.Identifier{name}.Sanitize()
}
