package document

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestDistinct: texts that fit stay the same. If they begin alike, the differences stay, and no two look alike, however
// many there are and wherever they differ.
func TestDistinct(t *testing.T) {
	columns := "insert into invoice (id, customer, created, street, city, country) values "
	var many []string
	for i := range 36 {
		many = append(many, fmt.Sprint(strings.Repeat("select ", 20), i/6, strings.Repeat(" from", 30), i%6,
			strings.Repeat(" where", 30)))
	}
	for _, c := range []struct{ texts, want []string }{
		{[]string{"commit", "begin", "commit"}, []string{"commit", "begin", "commit"}},
		{[]string{strings.Repeat("é", 31), "begin"}, []string{strings.Repeat("é", 29) + "…", "begin"}},
		{[]string{columns + "($1)", columns + "($1), ($2)"}, []string{"insert int …  ($1)", "insert int …  ($1), ($2)"}},
		{many, nil},
	} {
		got := Distinct(c.texts, 30)
		if c.want != nil && !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
		for i, short := range got {
			if n := utf8.RuneCountInString(short); n > 30 {
				t.Errorf("%q has %d characters", short, n)
			}
			if first := slices.Index(got, short); c.texts[first] != c.texts[i] {
				t.Errorf("%q stands for two", short)
			}
		}
	}
}

// TestStatementsUseTheWidth: a statement stands on one line if it fits, and on full lines otherwise.
func TestStatementsUseTheWidth(t *testing.T) {
	table := Table{Columns: []Column{{Header: "statement", Words: true}, {Header: "calls"}},
		Rows: []Row{{Cells: []Cell{Statement("insert into o select generate_series($1, $2)"), Number("1", 1)}}}}
	for width, want := range map[int]string{
		80: "statement                                     calls\ninsert into o select generate_series($1, $2)      1",
		40: "statement                  calls\ninsert into o select           1\n  generate_series($1, $2)",
	} {
		if got := strings.TrimSpace(inText(t, width, table)); got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", width, got, want)
		}
	}
}

// TestNamesLeaveRoom: a name that is one word of 300 letters is cut into lines, and none is lost.
func TestNamesLeaveRoom(t *testing.T) {
	const long = 300
	for _, name := range []Cell{Words(strings.Repeat("é", long)), Name(strings.Repeat("é", long)),
		Statement(strings.Repeat("é", long)), Words("a" + strings.Repeat("::é", long/3)), Name("a_" + strings.Repeat("é", long)),
		Words(strings.Repeat("é ", long))} {
		table := Table{Columns: []Column{{Header: "load", Words: true}, {Header: strings.Repeat("ü", long)}},
			Rows: []Row{{Cells: []Cell{name, Number("1,680,000", 1)}}}}
		for _, width := range []int{40, 80, 120} {
			text := inText(t, width, table)
			for line := range strings.Lines(text) {
				if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > width ||
					strings.HasPrefix(strings.TrimSpace(line), "::") {
					t.Errorf("%d columns: %q", width, line)
				}
			}
			if n := strings.Count(text, "é"); n != strings.Count(name.Text, "é") || strings.Count(text, "ü") != long ||
				!strings.Contains(text, "1,680,000") {
				t.Errorf("%d columns: %d letters in\n%s", width, n, text)
			}
		}
	}
}
