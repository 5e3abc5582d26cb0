package document

import (
	"io"
	"strings"
)

// Coloured returns a terminal that shows colours: verdicts in text stand out there. No width changes by it.
func Coloured(terminal io.Writer) io.Writer { return coloured{terminal} }

type coloured struct{ io.Writer }

// inColour are the words of verdicts, by what a reader is to do: to count with it, to beware, to look further.
var inColour = strings.NewReplacer(
	"PHYSICAL", green+"PHYSICAL"+usual,
	"REQUESTED", yellow+"REQUESTED"+usual,
	"NOT LOGICAL", yellow+"NOT LOGICAL"+usual,
	"LOGICAL", yellow+"LOGICAL"+usual,
	"MIXED", yellow+"MIXED"+usual,
	"CANNOT TELL", faded+"CANNOT TELL"+usual,
)

// ECMA-48, the sequences that every terminal with colours knows.
const (
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	faded  = "\x1b[2m"
	usual  = "\x1b[0m"
)

// Write colours what [Text] writes, in which nothing but letters is left of what came from elsewhere.
func (c coloured) Write(p []byte) (int, error) {
	if _, err := inColour.WriteString(c.Writer, string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
