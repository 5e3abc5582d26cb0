package postgres

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

// Grant returns the statement that gives a role to the user; people are told to type it.
func Grant(role, user string) string { return "grant " + role + " to " + Typed(user, "ROLE") }

// Typed returns a name as it stands in a statement that people are told to type. It is the placeholder if the name
// could not be copied as it is shown, or would be more than a name to a shell into which the statement is pasted.
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

// ownWord are the words of SQL that stand for something else than a role or database of that name, as far as names are
// likely.
var ownWord = map[string]bool{
	"all": true, "analyze": true, "current_role": true, "current_user": true, "default": true, "group": true,
	"order": true, "public": true,
	"session_user": true, "table": true, "user": true,
}

// typed characters are the same to PostgreSQL and to a shell between double quotes, and have a shape.
func typed(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r <= '~' && !strings.ContainsRune("\"$`\\!", r)
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector)
}
