package input

import "bytes"

// Separator returns the column separator of CSV, by its first line: a comma, or a spreadsheet's semicolon or tab.
func Separator(text []byte) rune {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	for _, other := range ";\t" {
		if bytes.ContainsRune(first, other) && !bytes.ContainsRune(first, ',') {
			return other
		}
	}
	return ','
}
