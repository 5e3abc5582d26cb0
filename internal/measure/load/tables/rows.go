package tables

import (
	"io"
	"strconv"
)

// filling describes a table's rows: numbered from 1, each with its branch and a balance of zero.
type filling struct {
	table     string
	total     int64
	perBranch int64  // rows of one branch; 0 in the table of branches itself
	tail      string // the balance and the filler, in COPY's format
}

// rows is a reader of a filling in COPY's text format. It returns whole rows.
type rows struct {
	filling
	progress *progress
	done     int64
	rest     []byte // of the row, after its number: the same for all rows of a branch
}

func newRows(f filling, p *progress) *rows {
	return &rows{filling: f, progress: p, rest: []byte(f.tail)}
}

// longestRow bounds a row's bytes: two numbers, and the tail with a tab.
const longestRow = 20 + 20 + 8

// Read fills p with whole rows. COPY asks for tens of kilobytes.
func (r *rows) Read(p []byte) (int, error) {
	text := p[:0:len(p)]
	for r.done < r.total && len(text)+longestRow <= len(p) {
		if r.perBranch > 0 && r.done%r.perBranch == 0 {
			r.rest = strconv.AppendInt(append(r.rest[:0], '\t'), r.done/r.perBranch+1, 10)
			r.rest = append(r.rest, r.tail...)
		}
		r.done++
		text = append(strconv.AppendInt(text, r.done, 10), r.rest...)
		r.progress.at(r.done)
	}
	switch {
	case len(text) > 0:
		return len(text), nil
	case r.done < r.total:
		return 0, io.ErrShortBuffer
	default:
		return 0, io.EOF
	}
}
