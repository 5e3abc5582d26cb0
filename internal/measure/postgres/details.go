package postgres

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// longestPlace is how many characters of a statement's line are shown.
const longestPlace = 60

// Details returns a server's details of an error, one a line, in psql's words and order: the position in the
// statement that was sent, if known, DETAIL, HINT and CONTEXT.
func Details(err error, statement string) []string {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return nil
	}
	lines := place(statement, int(refused.Position))
	for _, part := range []struct{ title, text string }{
		{"DETAIL", refused.Detail}, {"HINT", refused.Hint}, {"QUERY", refused.InternalQuery},
		{"CONTEXT", refused.Where},
	} {
		if part.text != "" {
			lines = append(lines, part.title+": "+strings.Join(strings.Fields(part.text), " "))
		}
	}
	return lines
}

// place returns the statement's line with a character, counted from 1. It cuts a long line to begin there.
func place(statement string, letter int) []string {
	letters := []rune(statement)
	if letter < 1 || letter > len(letters)+1 {
		return nil
	}
	before, after := string(letters[:letter-1]), string(letters[letter-1:])
	begin := strings.LastIndexByte(before, '\n') + 1
	line, _, _ := strings.Cut(before[begin:]+after, "\n")
	at := fmt.Sprintf("LINE %d: ", strings.Count(before, "\n")+1)
	if shown := []rune(line); len(shown) > longestPlace {
		from := min(len([]rune(before[begin:])), len(shown))
		line = string(shown[max(from-longestPlace/2, 0):min(from+longestPlace/2, len(shown))])
	}
	near, _, _ := strings.Cut(strings.TrimSpace(after), "\n")
	if word := strings.Fields(near); len(word) > 0 {
		return []string{at + strings.TrimSpace(line) + " (at " + word[0] + ")"}
	}
	return []string{at + strings.TrimSpace(line) + " (at end of input)"}
}
