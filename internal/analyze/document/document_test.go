package document

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/shell"

	"github.com/google/go-cmp/cmp"
)

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func inText(t *testing.T, width int, blocks ...Block) string {
	t.Helper()
	return written(t, func(w io.Writer) error { return Text(w, Document{Blocks: blocks}, width) })
}

// example returns a document with a block of each kind.
func example() Document {
	table := Table{Columns: []Column{{Header: "number", Words: true}, {Header: "it is", Words: true},
		{Header: "device requests"}, {Header: "trans\u00adactions/s"}}}
	table.Rows = []Row{
		{Cells: []Cell{Name("pg_stat_checkpointer.buffers_written"), Verdict("PHYSICAL"),
			Number("1,234", 1234.5).Sure("±3%"), Missing("it was late")}},
		{Cells: []Cell{Words(""), Words(""), Number("5", 5).Sure("±0.4%"), Number("10", 10)}, More: true},
		{Cells: []Cell{{Text: "WriteIOPS", Kind: IsName, Also: "called IOPS"}, Verdict("CANNOT TELL"),
			Missing("it was early"), Missing("it was late")}},
	}
	return Document{Title: "realiops: a test", Heading: "What is it?", Blocks: []Block{
		Paragraph{Text: "PostgreSQL 17"},
		Doubts([]string{"The device is shared, and so this is a long warning that takes two lines."}),
		Paragraph{Text: "WAL records say 5.", Style: Headline},
		nil,
		Only(OnPages, Answers{{"Which is real?", []string{"None.", "Some."}}}),
		Only(InHTML, Tiles{{"WAL records", "874,756", "458", "1,910 times fewer"}}, Contents{}),
		Section{Title: "The work", Blocks: []Block{Together{table, Paragraph{Text: "Means.", Style: Faint}}}},
		Section{Title: "Nothing stands here", Blocks: []Block{List{}, Only(InCSV, table), Figure{}}},
		Only(InHTML, Folded(Section{Title: "Evidence", Blocks: []Block{Paragraph{Text: "It was counted."}}})),
		Section{Title: "Open", Blocks: []Block{Together{List{"a: is it rows or WAL records?", "b"},
			Command{Lead: "To tell:", Lines: []shell.Command{shell.New("realiops run")}}}}},
		Section{Title: "Outer", Blocks: []Block{Section{Title: "Inner", Blocks: []Block{Paragraph{Text: "inside"}}}}},
		Notes{Title: "Single figures", Remarks: []string{"A remark."}},
		Only(InCSV, table),
	}}
}

func TestTextHonoursItsWidth(t *testing.T) {
	want := `PostgreSQL 17

! The device is shared, and so this is a long warning that takes
  two lines.

WAL records say 5.

The work

                                         device     trans-
number                 it is           requests  actions/s
pg_stat_checkpointer.  PHYSICAL     1,234 ±3%        - (1)
  buffers_written                       5 ±0.4%         10
WriteIOPS              CANNOT TELL  - (2)            - (1)
  called IOPS
Means.
(1) it was late
(2) it was early

Open

- a: is it rows or WAL records?
- b
To tell: realiops run

Outer

Inner
inside

Single figures

- A remark.
`
	got := written(t, func(w io.Writer) error { return Text(w, example(), 64) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wide := written(t, func(w io.Writer) error { return Text(w, example(), 120) })
	if !strings.Contains(wide, "\npg_stat_checkpointer.buffers_written  PHYSICAL") ||
		!strings.Contains(wide, "a long warning that takes two lines.") {
		t.Errorf("a wide terminal is not used:\n%s", wide)
	}
	for _, width := range []int{-1, 0, 20} {
		if got := written(t, func(w io.Writer) error {
			return Text(w, example(), width)
		}); got != written(t, func(w io.Writer) error { return Text(w, example(), 40) }) {
			t.Errorf("width %d is not treated as 40", width)
		}
	}
	for line := range strings.Lines(written(t, func(w io.Writer) error { return Text(w, example(), 40) })) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 40 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// TestTermsAndPoints: words stand beside their explanations, or above if long; consequences stand below a finding.
func TestTermsAndPoints(t *testing.T) {
	d := Document{Blocks: []Block{
		Terms{{Name: "trap", Texts: []string{"A count of five minutes and not a rate.", "It is billed."}},
			{Name: "pg_stat_io.fsyncs (client backend)", Texts: []string{"fsyncs"}}},
		Points{{Text: "fsync is off, so that nothing tells of storage.", Grave: true,
			Below: []string{"to do: set fsync = on, as a server has it"}}, {Text: "b"}},
		Terms{}, Points{},
	}}
	check := func(what, want string, write func(io.Writer) error) {
		t.Helper()
		if diff := cmp.Diff(want, written(t, write)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	check("text", `  trap                A count of five
                      minutes and not a
                      rate.
                      It is billed.
  pg_stat_io.fsyncs (client backend)
                      fsyncs

! fsync is off, so that nothing tells of
  storage.
  to do: set fsync = on, as a server has it
- b
`, func(w io.Writer) error { return Text(w, d, 44) })
	check("markdown", "- **trap**: A count of five minutes and not a rate.; It is billed.\n- **pg\\_stat\\_io.fsyncs "+
		"(client backend)**: fsyncs\n\n"+
		"- **fsync is off, so that nothing tells of storage.**\n  - to do: set fsync = on, as a server has it\n- b\n",
		func(w io.Writer) error { return Markdown(w, d) })
	page := written(t, func(w io.Writer) error { return HTML(w, d) })
	for _, want := range []string{
		"<dl>\n<dt>trap</dt>\n<dd>A count of five minutes and not a rate.</dd>\n<dd>It is billed.</dd>\n",
		"<ul>\n<li><strong>Caution:</strong> fsync is off, so that nothing tells of storage.\n<ul>\n<li>to do: set " +
			"fsync = on, as a server has it</li>\n</ul>\n</li>\n<li>b\n</li>\n</ul>\n</main>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}

// TestMessage: a message on a terminal is indented, and no word is broken; elsewhere it is one line.
func TestMessage(t *testing.T) {
	check := func(width int, want string) {
		t.Helper()
		if got := Message("realiops: write /a/very/long/path/that/is/copied/from/here/run.jsonl: no\nroom",
			width); got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
	check(0, `realiops: write /a/very/long/path/that/is/copied/from/here/run.jsonl: no\nroom`)
	check(10, "realiops: write\n  /a/very/long/path/that/is/copied/from/here/run.jsonl:\n  no\\nroom")
	check(72, "realiops: write /a/very/long/path/that/is/copied/from/here/run.jsonl:\n  no\\nroom")
}

// TestNoLineIsACommand: a report may be in a GitHub log, which executes each line that begins with two
// colons, even after spaces.
func TestNoLineIsACommand(t *testing.T) {
	const evil = "::stop-commands::x insert ::error::into ::add-mask::public ::error::values ::notice::some " +
		"::error::more ::group::words"
	table := Table{Caption: evil, Columns: []Column{{Header: evil}, {Header: "n"}}, Rows: []Row{
		{Cells: []Cell{{Text: evil, Kind: IsName, Also: evil}, Words("1")}},
		{Cells: []Cell{{Text: evil, Kind: IsStatement}, Words(evil)}},
	}}
	d := Document{Title: evil, Heading: evil, Blocks: []Block{Section{Title: evil, Blocks: []Block{
		Paragraph{Text: evil}, List{evil}, Points{{Text: evil, Below: []string{evil}}}, Answers{{evil, []string{evil}}},
		Terms{{Name: evil, Texts: []string{evil}}}, table}}, Notes{Title: evil, Remarks: []string{evil}}}}
	for width := 30; width < 130; width += 9 {
		said := Message("realiops: "+evil, width) + "\n" + written(t, func(w io.Writer) error {
			return Text(w, d, width)
		})
		for line := range strings.Lines(said) {
			if strings.HasPrefix(strings.TrimSpace(line), "::") {
				t.Fatalf("%d columns: %q", width, line)
			}
		}
	}
}

func TestHTMLHasEveryBlock(t *testing.T) {
	page := written(t, func(w io.Writer) error { return HTML(w, example()) })
	for _, want := range []string{
		"<title>realiops: a test</title>", "<h1>What is it?</h1>", `<p class="headline">WAL records say 5.</p>`,
		"<strong>Caution:</strong> The device", "<dt>Which is real?</dt><dd>None.</dd><dd>Some.</dd>",
		"<h2>The work</h2>",
		`<td class="words">pg_<wbr>stat_<wbr>checkpointer.<wbr>buffers_<wbr>written</td><td class="words physical">PHYSICAL</td><td data-value="1234.5">1,234 <small>±3%</small></td><td>- (1)</td>`,
		`WriteIOPS (called IOPS)</td><td class="words cannot-tell">`, "<h3>Inner</h3>",
		"<li>(2) it was early</li>\n</ul>", "<li>A remark.</li>",
		`<nav aria-label="contents">`, `<a href="#s2">Evidence</a>`,
		"<details>\n<summary><h2>Evidence</h2>\n</summary>\n<div class=\"folded\" id=\"s2\">",
		`<p class="numbers">874,756 <span>→</span> <strong>458</strong></p>`,
		"<code>realiops run\n</code>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(page, "Nothing stands here") {
		t.Error("a section without content is on the page")
	}
}

func TestMarkdownHasEveryBlock(t *testing.T) {
	got := written(t, func(w io.Writer) error { return Markdown(w, example()) })
	_, got, _ = strings.Cut(got, "> WAL records say 5.\n")
	want := "\n**Which is real?**\n\n- None.\n- Some.\n\n## The work\n\n" +
		"| number | it is | device requests | transactions/s |\n| --- | --- | ---: | ---: |\n" +
		"| pg\\_stat\\_checkpointer.buffers\\_written | PHYSICAL | 1,234 ±3% | - (1) |\n|  |  | 5 ±0.4% | 10 |\n" +
		"| WriteIOPS (called IOPS) | CANNOT TELL | - (2) | - (1) |\n\nMeans.\n\n## Open\n\n- a: is it rows or WAL " +
		"records?\n- b\n\nTo tell:\n\n" +
		"```\nrealiops run\n```\n\n## Outer\n\n### Inner\n\ninside\n\n## Single figures\n\n- (1) it was late\n- (2) " +
		"it was early\n- A remark.\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCSVHasItsTablesExactly(t *testing.T) {
	got := written(t, func(w io.Writer) error { return CSV(w, example()) })
	want := "number,it is,device " +
		"requests,transactions/s\npg_stat_checkpointer.buffers_written,PHYSICAL,1234.5,\n,,5,10\nWriteIOPS,CANNOT " +
		"TELL,,\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestColumnsOfOneFormat are in no other, and columns for phones come early on pages only.
func TestColumnsOfOneFormat(t *testing.T) {
	table := Table{Columns: []Column{{Header: "a", Words: true}, {Header: "b"}, {Header: "price", First: true},
		{Header: "sources", In: OnPages}}}
	table.Rows = []Row{{Cells: []Cell{Words("x"), Number("1", 1), Number("2", 2), Words("3")}}}
	if got, want := inText(t, 80, table), "a  b  price\nx  1      2\n"; got != want {
		t.Errorf("text: %q, want %q", got, want)
	}
	markdown := written(t, func(w io.Writer) error { return Markdown(w, Document{Blocks: []Block{table}}) })
	if !strings.HasPrefix(markdown, "| a | price | b | sources |\n") {
		t.Error(markdown)
	}
	table.Rows[0].Cells[1] = Words("") // an empty column, for people
	if got, want := inText(t, 80, table), "a  price\nx      2\n"; got != want {
		t.Errorf("text: %q, want %q", got, want)
	}
	if csv := written(t, func(w io.Writer) error {
		return CSV(w, Document{Blocks: []Block{Only(InCSV, table)}})
	}); !strings.Contains(csv, "a,b,price\n") {
		t.Errorf("csv: %q", csv)
	}
}

// TestTextOfOthersStaysText, whatever it holds and wherever it stands, in every format.
func TestTextOfOthersStaysText(t *testing.T) {
	const evil = "<script>alert(1)</script>\x1b]0;owned\x07\u202e|`*[x](http://y)\r\n# z"
	table := Table{Caption: evil, Columns: []Column{{Header: evil}, {Header: evil}}}
	table.Rows = []Row{{Cells: []Cell{{Text: evil, Kind: IsName, Also: evil, Hover: evil, Mark: "consistent"},
		Missing(evil)}}, {Cells: []Cell{Words("=cmd|' /C calc'!A0"), Words("+1")}}}
	d := Document{Title: evil, Heading: evil, Blocks: []Block{
		Section{Title: evil, Blocks: []Block{
			Paragraph{Text: evil}, List{evil}, Answers{{evil, []string{evil}}}, Doubts([]string{evil}), table,
			Command{Lead: evil, Lines: []shell.Command{shell.New("realiops").File(evil, "FILE")}}, Example{evil, "```"},
		}},
		Notes{Title: evil, Remarks: []string{evil}}, Only(InCSV, table),
	}}
	for name, got := range map[string]string{
		"text":     written(t, func(w io.Writer) error { return Text(w, d, 80) }),
		"HTML":     written(t, func(w io.Writer) error { return HTML(w, d) }),
		"Markdown": written(t, func(w io.Writer) error { return Markdown(w, d) }),
		"CSV":      written(t, func(w io.Writer) error { return CSV(w, d) }),
	} {
		if strings.ContainsAny(got, "\x1b\x07\r\u202e") {
			t.Errorf("%s: what drives a terminal gets through", name)
		}
		if !strings.Contains(got, `\x1B]0;owned`) && !strings.Contains(got, `\\x1B\]0;owned`) && name != "CSV" {
			t.Errorf("%s: the text is gone", name)
		}
		switch name {
		case "HTML":
			if strings.Contains(got, "<script>") {
				t.Error("HTML: the text is markup")
			}
		case "Markdown":
			outside, fenced, _ := strings.Cut(got, "````\n")
			_, after, _ := strings.Cut(fenced, "\n````\n")
			if strings.Contains(outside+after, "<script>") || strings.Contains(outside+after, "[x](") ||
				strings.Contains(outside+after, " |`") {
				t.Errorf("Markdown: the text is markup:\n%s", got)
			}
		case "CSV":
			if strings.Contains(got, "\n=") || strings.Contains(got, ",+") || !strings.Contains(got, "'=cmd") {
				t.Errorf("CSV: a formula:\n%s", got)
			}
		}
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWritingFails(t *testing.T) {
	d := example()
	for _, err := range []error{Text(fullDisk{}, d, 80), HTML(fullDisk{}, d), Markdown(fullDisk{}, d),
		CSV(fullDisk{}, d)} {
		if !errors.Is(err, errFull) || !strings.HasPrefix(err.Error(), "write the ") {
			t.Errorf("got %v", err)
		}
	}
}

// TestColoursAreForVerdictsOnly: colours change no letter; without the sequences the text is the same as in a file.
func TestColoursAreForVerdictsOnly(t *testing.T) {
	d := Document{Blocks: []Block{Paragraph{Text: "wal_sync is PHYSICAL, rows are LOGICAL, the rest CANNOT TELL"}}}
	var plain, coloured strings.Builder
	if err := errors.Join(Text(&plain, d, 80), Text(Coloured(&coloured), d, 80)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(coloured.String(), "\x1b[32mPHYSICAL\x1b[0m") {
		t.Errorf("PHYSICAL has no colour: %q", coloured.String())
	}
	if got := regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(coloured.String(), ""); got != plain.String() {
		t.Errorf("without its colours it is %q, want %q", got, plain.String())
	}
}
