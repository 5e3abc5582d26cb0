package script

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxParameters is pgbench's limit on the variables of a statement in the extended protocol.
const MaxParameters = 255

// Gather says which results of a statement go into variables.
type Gather uint8

// With GatherLast the last result must have one row. With GatherAll the last row of each result counts.
const (
	GatherNone Gather = iota
	GatherLast        // \gset
	GatherAll         // \aset
)

// Statement is SQL with variables in it, or several statements joined by \;.
//
// Like pgbench, it replaces a variable wherever its name follows a colon, even in quotes and comments.
type Statement struct {
	Text   string // as written, from the first word
	Query  string // with $1, $2 … for the variables
	Params []int  // the slots of $1, $2 …, one for each occurrence of a variable
	Gather Gather
	Prefix string // of the names of the variables that \gset and \aset set

	parts []part
}

// part is literal text and the variable after it; the last part has none.
type part struct {
	text string
	name string // of the variable, with its colon
	slot int
}

const noSlot = -1

func newStatement(set *Set, text string) *Statement {
	st := &Statement{Text: text}
	var query strings.Builder
	start := 0
	for i := strings.IndexByte(text, ':'); i >= 0; i = nextColon(text, i) {
		name := variableAt(text, i)
		if name == "" {
			continue
		}
		slot := set.slot(name)
		st.parts = append(st.parts, part{text: text[start:i], name: ":" + name, slot: slot})
		st.Params = append(st.Params, slot)
		query.WriteString(text[start:i] + "$" + strconv.Itoa(len(st.Params)))
		start = i + 1 + len(name)
	}
	st.parts = append(st.parts, part{text: text[start:], slot: noSlot})
	st.Query = query.String() + text[start:]
	return st
}

// variableAt returns the name of the variable whose colon is at i, or "".
func variableAt(text string, i int) string {
	end := i + 1
	for end < len(text) && isNameByte(text[end]) {
		end++
	}
	if name := text[i+1 : end]; validName(name) {
		return name
	}
	return ""
}

// nextColon finds the next colon that may begin a variable. It skips runs of colons, which are casts.
func nextColon(text string, i int) int {
	if variableAt(text, i) == "" {
		for i < len(text) && text[i] == ':' {
			i++
		}
	} else {
		i++
	}
	next := strings.IndexByte(text[i:], ':')
	if next < 0 {
		return -1
	}
	return i + next
}

// Extended reports whether the statement can go through the extended protocol.
func (st *Statement) Extended() error {
	if len(st.Params) > MaxParameters {
		return fmt.Errorf("statement has %d variables; the extended and prepared protocols take %d: %s",
			len(st.Params), MaxParameters, firstLine(st.Text))
	}
	return nil
}

// AppendSimple appends the statement with its variables replaced by their texts. An
// undefined variable stays as written.
func (st *Statement) AppendSimple(dst []byte, vars *Vars) []byte {
	for i := range st.parts {
		p := &st.parts[i]
		dst = append(dst, p.text...)
		if p.slot == noSlot {
			continue
		}
		var defined bool
		if dst, defined = vars.AppendText(dst, p.slot); !defined {
			dst = append(dst, p.name...)
		}
	}
	return dst
}

// maxFirstLine is how many bytes of a statement pgbench shows.
const maxFirstLine = 127

func firstLine(text string) string {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	return strings.ToValidUTF8(text[:min(len(text), maxFirstLine)], "") // the cut may split a character
}
