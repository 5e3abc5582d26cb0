package report

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// grid is a table without lines: a name in the first column, numbers in the others.
type grid struct {
	header []string // a name may have two lines
	rows   [][]string
	words  int // columns that begin the table and have words in them, not numbers
}

func newGrid(header string, names []string) *grid {
	g := &grid{header: []string{header}, words: 1}
	for _, name := range names {
		g.rows = append(g.rows, []string{name})
	}
	return g
}

// add puts a column at the right.
func (g *grid) add(header string, cells []string) {
	g.header = append(g.header, header)
	for i := range g.rows {
		g.rows[i] = append(g.rows[i], cells[i])
	}
}

// Between columns stand two spaces, or one where that lets the whole table fit.
const (
	roomy = "  "
	tight = " "
)

// layout lays the table out within width. Columns that do not fit beside each other go below, with the names again.
func (g *grid) layout(width int) string {
	if all := len(g.header); g.fitting(1, width, roomy) < all && g.fitting(1, width, tight) == all {
		return g.block(1, all, tight)
	}
	var blocks []string
	for first := 1; first < len(g.header); {
		last := g.fitting(first, width, roomy)
		blocks = append(blocks, g.block(first, last, roomy))
		first = last
	}
	return strings.Join(blocks, "\n\n")
}

// fitting is the end of the columns from first on that fit beside the names; at least one does.
func (g *grid) fitting(first, width int, gap string) int {
	used := g.columnWidth(0)
	for i := first; i < len(g.header); i++ {
		used += len(gap) + g.columnWidth(i)
		if used > width && i > first {
			return i
		}
	}
	return len(g.header)
}

func (g *grid) columnWidth(i int) int {
	width := text.LongestLineLen(g.header[i])
	for _, row := range g.rows {
		width = max(width, text.StringWidth(row[i]))
	}
	return width
}

// block renders the names and the columns from first to before last.
func (g *grid) block(first, last int, gap string) string {
	pick := func(cells []string) table.Row {
		row := table.Row{cells[0]}
		for _, cell := range cells[first:last] {
			row = append(row, cell)
		}
		return row
	}
	w := table.NewWriter()
	w.SetStyle(plain(gap))
	w.SuppressTrailingSpaces()
	var columns []table.ColumnConfig
	for i := range last - first {
		align := text.AlignRight
		if first+i < g.words {
			align = text.AlignLeft
		}
		columns = append(columns, table.ColumnConfig{Number: i + 2, Align: align, AlignHeader: align, VAlignHeader: text.VAlignBottom})
	}
	w.SetColumnConfigs(append(columns, table.ColumnConfig{Number: 1, VAlignHeader: text.VAlignBottom}))
	w.AppendHeader(pick(g.header))
	for _, row := range g.rows {
		w.AppendRow(pick(row))
	}
	return w.Render()
}

func plain(gap string) table.Style {
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateColumns = true
	style.Box = table.BoxStyle{MiddleVertical: gap}
	style.Format = table.FormatOptions{}
	return style
}

// wrapped breaks text between words so that no line is longer than width.
func wrapped(s string, width int) string {
	lines := strings.Split(text.WrapSoft(s, width), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

// padded makes all strings as long as the longest, so that what stands before them stays in line.
func padded(cells []string) []string {
	longest := 0
	for _, c := range cells {
		longest = max(longest, text.StringWidth(c))
	}
	same := make([]string, len(cells))
	for i, c := range cells {
		same[i] = text.Pad(c, longest, ' ')
	}
	return same
}
