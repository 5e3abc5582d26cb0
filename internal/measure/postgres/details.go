package postgres

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// longestPlace is the number of letters shown of a statement's line.
const longestPlace = 60

// Details returns what a server says of an error beside the message, each in a line of its own, in psql's words and
// order: the place in the statement that was sent, where that is known, what is the matter, what to do, and what called
// it.
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

// place returns the line of the statement that holds a letter, counted from 1, from that letter on where it is long.
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
	return []string{at + strings.TrimSpace(line) + " (at its end)"}
}
