package postgres

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

// Grant returns the statement that grants a role to the user, for messages.
func Grant(role, user string) string { return "grant " + role + " to " + Typed(user, "ROLE") }

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
