package document

import (
	"io"
	"strings"
)

// Coloured returns a writer that colours verdicts in text, for a terminal. Widths do not change.
func Coloured(terminal io.Writer) io.Writer { return coloured{terminal} }

type coloured struct{ io.Writer }

// inColour colours the words of verdicts by what to do: rely on it, beware, look further.
var inColour = strings.NewReplacer(
	"PHYSICAL", green+"PHYSICAL"+usual,
	"REQUESTED", yellow+"REQUESTED"+usual,
	"NOT LOGICAL", yellow+"NOT LOGICAL"+usual,
	"LOGICAL", yellow+"LOGICAL"+usual,
	"MIXED", yellow+"MIXED"+usual,
	"CANNOT TELL", faded+"CANNOT TELL"+usual,
)

// Control sequences of ECMA-48, which every colour terminal supports.
const (
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	faded  = "\x1b[2m"
	usual  = "\x1b[0m"
)

// Write colours the output of [Text], in which text from elsewhere has no control characters left.
func (c coloured) Write(p []byte) (int, error) {
	if _, err := inColour.WriteString(c.Writer, string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
