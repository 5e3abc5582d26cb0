package cost

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/printable"
)

// Document returns a result for people, from requests to the database down to its device. With meanings, it explains
// each count.
func (r Result) Document(meanings bool) document.Document {
	times := "once"
	if r.Repetitions != 1 {
		times = fmt.Sprintf("%d times", r.Repetitions)
	}
	heading := fmt.Sprintf("%s, on %s: %s", r.Operation.Text, r.Server, times)
	d := document.Document{Title: "What " + r.Operation.Text + " costs", Heading: heading}
	d.Blocks = []document.Block{
		document.Only(document.InText, document.Paragraph{Text: heading}), document.Doubts(r.Warnings),
		r.budgetTable(), document.Notes{}, r.table(), document.Notes{}, r.notCounted(), r.legend(),
		r.Statements.section("Statements that wrote, each time", "statement", statementColumns),
		r.Tables.section("Tables, each time", "table", tableColumns),
		r.Relations.section(), r.indexes(), r.remedySection(),
		document.Only(document.InCSV, r.everyCount()),
	}
	if meanings {
		var all document.Terms
		for _, c := range r.Counts {
			all = append(all, document.Term{Name: c.Name, Texts: []string{c.Help}})
		}
		d.Blocks = append(d.Blocks, document.Titled("What each count is", all))
	}
	return d
}

// indexes ranks indexes by the server's counters of their tables, if the WAL does not show them.
func (r Result) indexes() document.Block {
	if r.Relations.Missing == "" {
		return nil
	}
	return r.Indexes.section("Indexes, each time", "index", indexColumns)
}

// table shows a row for each count, except those missing altogether.
func (r Result) table() document.Block {
	t := document.Table{Columns: []document.Column{{Header: "count", Words: true}, {Header: "each time"},
		{Header: "lowest"}, {Header: "highest"}}}
	if r.Transactions > 0 {
		t.Columns = append(t.Columns, document.Column{Header: "a transaction"})
	}
	if r.Base != nil {
		t.Columns = append(t.Columns, document.Column{Header: "base"}, document.Column{Header: "change"})
	}
	for _, c := range r.Counts {
		if c.Missing == "" {
			t.Rows = append(t.Rows, document.Row{Cells: r.row(c)})
		}
	}
	return t
}

// notCounted lists what is missing, by reason.
func (r Result) notCounted() document.Block {
	var reasons []string
	names := map[string][]string{}
	for _, c := range r.Counts {
		if c.Missing != "" && !slices.Contains(reasons, c.Missing) {
			reasons = append(reasons, c.Missing)
		}
		names[c.Missing] = append(names[c.Missing], c.Name)
	}
	var all document.Together
	for _, why := range reasons {
		all = append(all, document.Paragraph{Text: "Not counted: " + strings.Join(names[why], ", ") + " (" + why + ")."})
	}
	return all
}

func (r Result) row(c Count) []document.Cell {
	cell := func(v float64) document.Cell { return document.Number(amount(v), v) }
	cells := []document.Cell{document.Name(c.Name), cell(c.Median), cell(c.Low), cell(c.High)}
	if r.Transactions > 0 {
		cells = append(cells, cell(c.Median*float64(r.Repetitions)/float64(r.Transactions)))
	}
	if r.Base != nil {
		change := r.Base.Of(c)
		if change.Why != "" {
			return append(cells, document.Missing(change.Why), document.Missing(change.Why))
		}
		cells = append(cells, document.Number(amount(change.Base), change.Base),
			document.Number(change.Text(), change.Ratio-1))
	}
	return cells
}

// everyCount returns all counts of the operation and of its statements, tables and indexes.
func (r Result) everyCount() document.Block {
	t := document.Table{Columns: []document.Column{{Header: "of", Words: true}, {Header: "name", Words: true},
		{Header: "count", Words: true}, {Header: "each time"}, {Header: "lowest"}, {Header: "highest"}, {Header: "base"},
		{Header: "missing", Words: true}}}
	add := func(of, name, count string, median, low, high, base float64, missing string) {
		t.Rows = append(t.Rows,
			document.Row{Cells: []document.Cell{document.Words(of), document.Words(name), document.Name(count),
				document.Number("", median), document.Number("", low), document.Number("", high),
				document.Number("", base), document.Words(missing)}})
	}
	var before Cost
	if r.Base != nil {
		before = r.Base.Cost
	}
	for _, c := range r.Counts {
		base, known := before.Find(c.Name)
		if !known {
			base.Median = math.NaN()
		}
		add("operation", r.Operation.Text, c.Name, c.Median, c.Low, c.High, base.Median, c.Missing)
	}
	for _, sort := range []struct {
		of        string
		now, base Causes
	}{{"statement", r.Statements, before.Statements}, {"table", r.Tables, before.Tables},
		{"index", r.Indexes, before.Indexes}} {
		for _, i := range sort.now.Items {
			for _, count := range slices.Sorted(maps.Keys(i.Each)) {
				base, known := sort.base.each(i.called(), count)
				if !known || base == 0 && !slices.Contains(baseColumns, count) { // a base keeps no others
					base = math.NaN()
				}
				add(sort.of, i.called(), count, i.Each[count], math.NaN(), math.NaN(), base, "")
			}
		}
	}
	for _, relation := range r.Relations.Items {
		base, known := before.Relations.find(relation)
		name, of := cmp.Or(relation.Name, relation.Called()), base.named()
		for _, e := range relation.named() {
			was := math.NaN()
			if i := slices.IndexFunc(of, func(b namedEach) bool {
				return b.name == e.name
			}); known && len(of[i].Runs) > 0 {
				was = of[i].Median
			}
			add(relation.Is, name, e.name, e.Median, e.Low, e.High, was, "")
		}
	}
	return t
}

// legend says what was subtracted from the counts, and what made them vary.
func (r Result) legend() document.Block {
	var sentences, taken, kept, did []string
	if r.Base != nil {
		sentences = append(sentences, "change: of the median; ~: the repetitions of both overlap.")
	}
	for _, c := range r.Counts {
		if c.Background >= 0.5 {
			taken = append(taken, fmt.Sprintf("%s %s", number.Grouped(c.Background, 0), c.Name))
		}
		if c.Ended {
			kept = append(kept, c.Name)
		}
		if c.Irregular != "" {
			sentences = append(sentences, fmt.Sprintf("What made %s differ: %s.", c.Name, c.Irregular))
		}
		if c.Everybody != nil {
			did = append(did, amount(*c.Everybody)+" "+c.Name)
		}
	}
	if len(did) > 0 {
		sentences = append(sentences, "Counts of the device cover only requests for this server's files. For "+
			"all programs, each time: "+strings.Join(did, ", ")+".")
	}
	if len(taken) > 0 {
		sentences = append(sentences, "Subtracted, because the idle server does as much in that time: "+
			strings.Join(taken, ", ")+".")
	}
	if len(kept) > 0 {
		sentences = append(sentences, "Nothing was subtracted from "+strings.Join(kept, ", ")+": by itself, the server did "+
			"more of it before the repetitions than in them.")
	}
	return document.Paragraph{Text: strings.Join(sentences, " "), Style: document.Faint}
}

// budgetTable shows the verdict on each budget, and what made it exceed the base.
func (r Result) budgetTable() document.Block {
	if len(r.Budgets) == 0 || r.Failed != "" {
		return nil
	}
	t := document.Table{Columns: []document.Column{{Header: "budget", Words: true}, {Header: "most"}, {Header: "is"},
		{Header: "verdict", Words: true}}}
	based := slices.ContainsFunc(r.Budgets, func(j Judged) bool { return j.OverBase != nil })
	if based {
		t.Columns = slices.Insert(t.Columns, 1, document.Column{Header: "base"})
	}
	var grew []Growth
	for _, j := range r.Budgets {
		most := document.Number(amount(j.Max), j.Max)
		if j.OverBase != nil && j.Base == nil {
			most = document.Missing(j.Why)
		}
		verdict := document.Words(string(j.Verdict))
		verdict.Note = j.Why
		cells := []document.Cell{document.Name(j.Name + " a " + j.Per), most, counted(j.Value, j.Why), verdict}
		if based && j.Base != nil {
			cells = slices.Insert(cells, 1, document.Number(amount(*j.Base), *j.Base))
		} else if based {
			cells = slices.Insert(cells, 1, document.Words(""))
		}
		t.Rows = append(t.Rows, document.Row{Cells: cells})
		grew = append(grew, j.Grew...)
	}
	blocks := []document.Block{t}
	if len(grew) > 0 {
		blocks = append(blocks, document.Titled("More than in the base", document.List(sayAll(grew))))
	}
	return document.Section{Title: "Budgets", Blocks: blocks}
}

// counted returns a cell for a number, or for why it is missing.
func counted(v float64, why string) document.Cell {
	if !number.Finite(v) {
		return document.Missing(why)
	}
	return document.Number(amount(v), v)
}

// Tagged is a result as in JSON. Fields may be added under the same schema.
type Tagged struct {
	Schema string `json:"schema"`
	Result
}

// Tagged returns r with its schema.
func (r Result) Tagged() Tagged { return Tagged{"realiops.measure/1", r} }

// GoBench writes each repetition as a line of a Go benchmark, for benchstat.
func GoBench(w io.Writer, r Result) error {
	name := benchName(r.Operation.Text)
	var b strings.Builder
	for i := range r.Repetitions {
		fmt.Fprintf(&b, "Benchmark%s 1", name)
		for _, c := range r.Counts {
			if c.Missing == "" {
				fmt.Fprintf(&b, " %s %s/op", strconv.FormatFloat(c.Runs[i], 'f', -1, 64), c.Name)
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// benchName returns a name as go test prints it: with a capital first and without spaces.
func benchName(text string) string {
	var b strings.Builder
	capital := true
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z' && capital:
			b.WriteRune(r - 'a' + 'A')
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			b.WriteRune(r)
		default:
			capital = true
			continue
		}
		capital = false
	}
	if b.Len() == 0 {
		return "Operation"
	}
	return b.String()
}

// Bencher writes Bencher's metric format: a measure with its value and bounds for each count.
func Bencher(w io.Writer, r Result) error {
	type measure struct {
		Value float64 `json:"value"`
		Low   float64 `json:"lower_value"`
		High  float64 `json:"upper_value"`
	}
	measures := map[string]measure{}
	for _, c := range r.Counts {
		if c.Missing == "" {
			measures[strings.ReplaceAll(c.Name, "_", "-")] = measure{c.Median, c.Low, c.High}
		}
	}
	text, err := json.MarshalIndent(map[string]map[string]measure{r.Operation.Text: measures}, "", "  ")
	if err == nil {
		_, err = w.Write(append(printable.JSON(text), '\n'))
	}
	return err
}
