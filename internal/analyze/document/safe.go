package document

import (
	"strings"

	"github.com/realiops/realiops/internal/printable"
)

// safe returns text in one line without control characters. Each writer also escapes it for its format.
func safe(s string) string { return printable.Line(strings.TrimSpace(s)) }

// header returns a column's header, with the format's replacement for a soft hyphen.
func header(s, hyphen string) string {
	parts := strings.Split(s, "\u00ad")
	for i, part := range parts {
		parts[i] = printable.Line(part)
	}
	return strings.Join(parts, hyphen)
}
