package document

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/realiops/realiops/internal/analyze/number"
)

// grid is a table in text: each cell in its final words, and each row in as many lines as it takes.
type grid struct {
	header []string
	words  []bool // by column: not numbers
	widths []int  // of columns
	rows   [][]string
	groups []int // by row: the first of the rows that share its name
}

// Columns are separated by two spaces, or by one if that makes the whole table fit.
const (
	roomy = "  "
	tight = " "
)

// furtherLine precedes each line of a name but the first.
const furtherLine = "  "

// shortestName is the length below which names are not wrapped.
const shortestName = 18

// besideName is the room that a name leaves for a number.
const besideName = 12

func (t *textWriter) table(of Table) string {
	if len(of.Rows) == 0 || len(of.Columns) == 0 {
		return ""
	}
	if of.Bare {
		of.Columns = slices.Clone(of.Columns)
		for i := range of.Columns {
			of.Columns[i].Header = ""
		}
	}
	cells := t.cells(of)
	best := t.gridOf(of, cells, longestName(of), false)
	if best.fitting(1, t.width, roomy) < len(best.header) {
		best = t.gridOf(of, cells, longestName(of), true)
	}
	for limit := longestName(of) - 1; limit >= shortestName && best.stacked(t.width) > 1; limit-- {
		if g := t.gridOf(of, cells, limit, true); g.stacked(t.width) < best.stacked(t.width) {
			best = g
		}
	}
	laid := best.layout(t.width)
	if of.Bare && best.stacked(t.width) > 1 { // columns without headers make sense only side by side
		var lines []string
		for _, row := range cells {
			lines = append(lines, wrapped(row[0]+" "+strings.Join(row[1:], ", "), t.width)...)
		}
		laid = strings.Join(lines, "\n")
	}
	if of.Caption != "" {
		return t.hanging("", of.Caption) + "\n" + laid
	}
	return laid
}

// cells returns the texts of all cells, with the uncertainties of a column aligned.
func (t *textWriter) cells(of Table) [][]string {
	all := make([][]string, len(of.Rows))
	for i, row := range of.Rows {
		all[i] = make([]string, len(row.Cells))
		for j, c := range row.Cells {
			all[i][j] = plain(c.Text)
			if c.Note != "" {
				all[i][j] += fmt.Sprintf(" (%d)", t.notes.mark(c.Note))
			}
		}
	}
	for j := range of.Columns {
		longest := 0
		for _, row := range of.Rows {
			longest = max(longest, displayWidth(row.Cells[j].PlusMinus))
		}
		for i, row := range of.Rows {
			if c := row.Cells[j]; longest > 0 && c.Kind != IsWords {
				all[i][j] += " " + text.Pad(c.PlusMinus, longest, ' ')
			}
		}
	}
	return all
}

func longestName(of Table) int {
	longest := shortestName
	for _, row := range of.Rows {
		if c := row.Cells[0]; c.Kind == IsName || c.Kind == IsStatement {
			longest = max(longest, displayWidth(plain(c.Text)))
		}
	}
	return longest
}

// gridOf wraps names longer than limit and, if short is set, headers wider than their column.
func (t *textWriter) gridOf(of Table, cells [][]string, limit int, short bool) *grid {
	g := &grid{}
	for i := 0; i < len(of.Rows); {
		next := i + 1
		for next < len(of.Rows) && of.Rows[next].More {
			next++
		}
		group := len(g.rows)
		g.rows = append(g.rows, nameBeside(t.nameLines(of.Rows[i].Cells[0], cells[i][0], limit), cells[i:next])...)
		g.groups = append(g.groups, slices.Repeat([]int{group}, len(g.rows)-group)...)
		i = next
	}
	for j, c := range of.Columns {
		cell := 0
		for _, row := range g.rows {
			cell = max(cell, displayWidth(row[j]))
		}
		widest := cell
		if !short {
			widest = max(widest, displayWidth(plain(header(c.Header, ""))))
		}
		lines := strings.Join(cut(strings.Split(headerLines(c.Header, widest), "\n"), t.width/2-len(roomy), t.width/4), "\n")
		g.header, g.words = append(g.header, lines), append(g.words, c.Words)
		g.widths = append(g.widths, max(cell, text.LongestLineLen(lines)))
	}
	return g
}

// nameBeside puts the lines of a name beside the lines of its description.
func nameBeside(name []string, lines [][]string) (rows [][]string) {
	for i := range max(len(name), len(lines)) {
		row := make([]string, len(lines[0]))
		if i < len(lines) {
			row = slices.Clone(lines[i])
		}
		if i < len(name) {
			row[0] = name[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// nameLines returns the lines of a name, followed by its other name.
func (t *textWriter) nameLines(c Cell, name string, limit int) (short []string) {
	lines := []string{name}
	switch {
	case c.Kind == IsName:
		lines = broken(name, limit)
	case c.Kind == IsStatement && displayWidth(name) > limit:
		lines = indented(wrapped(name, limit-len(furtherLine)))
	case c.Kind == IsWords && displayWidth(name) > t.width-besideName:
		lines = indented(wrapped(name, t.width/2-len(furtherLine)))
	}
	if c.Also != "" {
		lines = append(lines, "  "+plain(c.Also))
	}
	most := t.width - besideName
	for _, line := range lines {
		limit := displayWidth(line)
		for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(" ./_", r) }) {
			if displayWidth(word) > most { // no separator will do
				limit = most
			}
		}
		short = append(short, cut([]string{line}, limit, t.width/2)...)
	}
	return short
}

func indented(lines []string) []string {
	for i := range lines[1:] {
		lines[i+1] = furtherLine + lines[i+1]
	}
	return lines
}

// cut breaks lines of more than most columns into pieces.
func cut(lines []string, most, piece int) (short []string) {
	for _, line := range lines {
		for limit := most; displayWidth(line) > limit; limit = piece {
			head := text.Trim(line, piece)
			short, line = append(short, head), furtherLine+plain(line[len(head):])
		}
		short = append(short, line)
	}
	return short
}

// broken wraps a name to width at its separators, preferably at a space, and as early as lets the rest fit in one line.
func broken(name string, width int) []string {
	const indent = furtherLine
	if displayWidth(name) <= width {
		return []string{name}
	}
	for _, separators := range []string{" ", "./", "_"} {
		last := 0
		for i := len(indent); i < min(len(name), width); i++ {
			if !strings.ContainsRune(separators, rune(name[i])) || strings.HasPrefix(name[i+1:], commandMark) {
				continue
			}
			last = i + 1
			if displayWidth(indent+name[last:]) <= width {
				break
			}
		}
		if last > 0 {
			return append([]string{strings.TrimRight(name[:last], " ")}, broken(indent+name[last:], width)...)
		}
	}
	return []string{name}
}

// headerLines returns a header in one line, or in two if that makes its column narrower.
func headerLines(of string, widest int) string {
	best := plain(header(of, ""))
	if displayWidth(best) <= widest {
		return best
	}
	for i, r := range of {
		end, hyphen := i, map[rune]string{'\u00ad': "-"}[r]
		switch r {
		case '-':
			end++
		case ' ', '\u00ad':
		default:
			continue
		}
		first, rest := plain(header(of[:end], ""))+hyphen, plain(header(strings.TrimPrefix(of[i:], string(r)), ""))
		if lines := first + "\n" + rest; rest != "" && text.LongestLineLen(lines) < text.LongestLineLen(best) {
			best = lines
		}
	}
	return best
}

// layout lays the table out within width. Columns that do not fit go below, with the names repeated.
func (g *grid) layout(width int) string {
	if all := len(g.header); g.fitting(1, width, roomy) < all && g.fitting(1, width, tight) == all {
		return g.block(1, all, tight)
	}
	var blocks []string
	for first := 1; first < len(g.header) || len(blocks) == 0; {
		last := g.fitting(first, width, roomy)
		blocks = append(blocks, g.block(first, last, roomy))
		first = last
	}
	return strings.Join(blocks, "\n\n")
}

// stacked returns the number of blocks below each other; a column that does not fit beside the names counts as several.
func (g *grid) stacked(width int) (n int) {
	if g.fitting(1, width, tight) == len(g.header) && g.widths[0] < width {
		return 1
	}
	for first := 1; first < len(g.header); n++ {
		if g.widths[0]+len(roomy)+g.widths[first] > width {
			n += len(g.header)
		}
		first = g.fitting(first, width, roomy)
	}
	return n
}

// fitting returns the end of the columns from first on that fit beside the names, at least one.
func (g *grid) fitting(first, width int, gap string) int {
	used := g.widths[0]
	for i := first; i < len(g.header); i++ {
		used += len(gap) + g.widths[i]
		if used > width && i > first {
			return i
		}
	}
	return len(g.header)
}

// block renders the names and the columns from first to before last. A further block leaves out names that have
// nothing in it.
func (g *grid) block(first, last int, gap string) string {
	pick := func(cells []string) table.Row {
		row := table.Row{cells[0]}
		for _, cell := range cells[first:last] {
			row = append(row, cell)
		}
		return row
	}
	w := table.NewWriter()
	w.SetStyle(table.Style{Options: table.Options{SeparateColumns: true}, Box: table.BoxStyle{MiddleVertical: gap}})
	w.SuppressTrailingSpaces()
	columns := []table.ColumnConfig{{Number: 1, VAlignHeader: text.VAlignBottom}}
	for i := range last - first {
		align := text.AlignRight
		if g.words[first+i] {
			align = text.AlignLeft
		}
		columns = append(columns, table.ColumnConfig{Number: i + 2, Align: align, AlignHeader: align,
			VAlignHeader: text.VAlignBottom})
	}
	w.SetColumnConfigs(columns)
	if strings.Join(g.header, "") != "" {
		w.AppendHeader(pick(g.header))
	}
	filled := map[int]bool{}
	for i, row := range g.rows {
		filled[g.groups[i]] = filled[g.groups[i]] || first == 1 || strings.Join(row[first:last], "") != ""
	}
	for i, row := range g.rows {
		if filled[g.groups[i]] && strings.Join(append([]string{row[0]}, row[first:last]...), "") != "" {
			w.AppendRow(pick(row))
		}
	}
	return w.Render()
}

// Size of a small picture, in its own units.
const (
	sparkWidth  = 90
	sparkHeight = 16
)

// spark returns a small picture of values for a cell, from 0 to the highest, with a text for screen readers; empty if
// no value is known.
func spark(values []float64) string {
	known := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(known) == 0 {
		return ""
	}
	highest := slices.Max(known)
	var path strings.Builder
	pen := "M"
	for i, v := range values {
		if math.IsNaN(v) {
			pen = "M"
			continue
		}
		x := sparkWidth * float64(i) / max(1, float64(len(values)-1))
		y := sparkHeight * (1 - v/max(highest, math.SmallestNonzeroFloat64))
		fmt.Fprintf(&path, "%s%.0f %.1f", pen, x, y)
		pen = "L"
	}
	return fmt.Sprintf(
		`<svg class="spark" role="img" viewBox="-1 -1 %d %d" preserveAspectRatio="none"><title>Highest %s</title><desc>%d values, from %s to %s</desc><path vector-effect="non-scaling-stroke" d="%s"/></svg>`,
		sparkWidth+2, sparkHeight+2, number.Rate(highest), len(known), number.Rate(slices.Min(known)),
		number.Rate(highest), path.String())
}
