package cost

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// BaseSchema names the form of a base: a cost as lines of JSON, to be committed and reviewed. It holds the counts, but
// no times, machine names or identifiers, which would differ in every measurement.
const BaseSchema = "realiops.base/1"

// baseLine is a line of a base: the first says what was measured, and each other holds one count or cause.
type baseLine struct {
	Schema string    `json:"schema,omitempty"`
	Of     *baseHead `json:"of,omitempty"`

	Count     string `json:"count,omitempty"`
	Statement string `json:"statement,omitempty"`
	Table     string `json:"table,omitempty"`
	Index     string `json:"index,omitempty"`
	WALOf     string `json:"wal_of,omitempty"` // a table, an index or another relation, with its schema
	Is        string `json:"is,omitempty"`     // its kind
	// missing causes: statements, tables, indexes or relations
	Unknown string `json:"unknown,omitempty"`

	Each    any       `json:"each,omitempty"` // the median of a count; of a cause, by column
	Unit    string    `json:"unit,omitempty"`
	Runs    []float64 `json:"runs,omitempty"` // ascending; absent if all are equal
	Missing string    `json:"missing,omitempty"`
}

// baseHead is the content of the first line.
type baseHead struct {
	Operation    runfile.Operation `json:"operation"`
	Server       string            `json:"server"`
	Settings     map[string]string `json:"settings"`
	Repetitions  int               `json:"repetitions"`
	Transactions int64             `json:"transactions,omitempty"`
	Others       []string          `json:"others,omitempty"`
	Incomplete   bool              `json:"incomplete,omitempty"`
}

// sorts returns the causes by their names in a base.
func (c *Cost) sorts() map[string]*Causes {
	return map[string]*Causes{"statements": &c.Statements, "tables": &c.Tables, "indexes": &c.Indexes}
}

// baseColumns are the columns of causes that a base keeps: those that show why a count grew.
var baseColumns = []string{"calls", "rows", "wal_records", "wal_bytes", "wal_fpi", "shared_blks_dirtied", "n_tup_ins",
	"n_tup_upd", "n_tup_hot_upd", "n_tup_del", "entries", "records", "bytes", "images", "image_bytes"}

// WriteBase writes a result as a base, with counts in the order of reports and causes by name, so that the same cost
// gives the same text.
func WriteBase(w io.Writer, r Result) error {
	c := r.Cost
	lines := []baseLine{{Schema: BaseSchema, Of: &baseHead{c.Operation, c.Server, c.Settings, c.Repetitions,
		c.Transactions, append(slices.Clone(c.Others), c.byAutovacuum()...), c.Incomplete}}}
	for _, n := range c.Counts {
		line := baseLine{Count: n.Name, Unit: n.Unit, Missing: n.Missing}
		if n.Missing == "" {
			line.Each, line.Runs = n.Median, varied(n.Runs)
		}
		lines = append(lines, line)
	}
	for _, of := range []string{"statements", "tables", "indexes"} {
		causes := c.sorts()[of]
		if causes.Missing != "" {
			lines = append(lines, baseLine{Unknown: of, Missing: causes.Missing})
		}
		lines = append(lines, causes.lines(of)...)
	}
	lines = append(lines, c.Relations.lines()...)
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	for _, line := range lines {
		if err := out.Encode(line); err != nil {
			return fmt.Errorf("write the base: %w", err)
		}
	}
	_, err := w.Write(printable.JSON(b.Bytes()))
	return err
}

// varied returns the values in ascending order, or nil if all are equal.
func varied(runs []float64) []float64 {
	sorted := slices.Sorted(slices.Values(runs))
	if len(slices.Compact(slices.Clone(sorted))) == 1 {
		return nil
	}
	return sorted
}

func (c Causes) lines(of string) (all []baseLine) {
	for _, i := range c.Items {
		each := map[string]float64{}
		for _, column := range baseColumns {
			if n := i.Each[column]; n != 0 {
				each[column] = n
			}
		}
		if len(each) == 0 {
			continue
		}
		line := baseLine{Each: each}
		*line.name(of) = cmp.Or(i.Text, i.Name)
		all = append(all, line)
	}
	slices.SortStableFunc(all, func(a, b baseLine) int { return cmp.Compare(*a.name(of), *b.name(of)) })
	return all
}

// lines returns the repeatable WAL of each relation.
func (rs Relations) lines() (all []baseLine) {
	if rs.Missing != "" {
		return []baseLine{{Unknown: relationsUnknown, Missing: rs.Missing}}
	}
	for _, r := range rs.Items {
		each := map[string]float64{}
		for name, e := range r.baseAmounts() {
			if e.Median != 0 {
				each[name] = e.Median
			}
		}
		switch {
		case len(each) == 0:
		case r.Is == runfile.WALOfNone:
			all = append(all, baseLine{WALOf: r.Called(), Is: r.Is, Each: each})
		case r.Name != "":
			all = append(all, baseLine{WALOf: r.Name, Is: r.Is, Each: each})
		}
	}
	slices.SortStableFunc(all, func(a, b baseLine) int {
		return cmp.Or(cmp.Compare(a.WALOf, b.WALOf), cmp.Compare(a.Is, b.Is))
	})
	return all
}

const relationsUnknown = "relations"

func (r *Relation) baseAmounts() map[string]*Each {
	return map[string]*Each{"own_records": &r.OwnRecords, "own_bytes": &r.OwnBytes, "image_bytes": &r.ImageBytes}
}

// readRelation reads a relation, of which a base has only medians.
func (c *Cost) readRelation(l baseLine, text json.RawMessage) error {
	var each map[string]float64
	if err := json.Unmarshal(text, &each); err != nil {
		return err
	}
	r := Relation{Name: l.WALOf, Is: l.Is}
	if r.Is == runfile.WALOfNone {
		r.Name = ""
	}
	for name, e := range r.baseAmounts() {
		*e = Each{Runs: []float64{each[name]}, Median: each[name], Low: each[name], High: each[name]}
	}
	c.Relations.Items = append(c.Relations.Items, r)
	return nil
}

// name returns the field for the name of a sort of causes.
func (l *baseLine) name(of string) *string {
	return map[string]*string{"statements": &l.Statement, "tables": &l.Table, "indexes": &l.Index}[of]
}

var beginOfBase = regexp.MustCompile(`^\s*{\s*"schema"\s*:\s*"` +
	regexp.QuoteMeta(strings.TrimSuffix(BaseSchema, "1")))

// IsBase reports whether a text begins like a base, of this form or another, however it is spaced.
func IsBase(text []byte) bool { return beginOfBase.Match(input.UTF8(text)) }

// ReadBase reads the output of WriteBase.
func ReadBase(text []byte) (c Cost, err error) {
	c = Cost{Warnings: []string{}, Others: []string{}, Autovacuum: []string{}, Relations: Relations{Items: []Relation{}}}
	for _, causes := range c.sorts() {
		causes.Items = []Cause{}
	}
	n, read := 0, map[[6]string]bool{}
	for line := range bytes.Lines(bytes.TrimSpace(input.UTF8(text))) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		l, err := parseBaseLine(line)
		if err == nil {
			err = c.readBaseLine(l)
		}
		if err != nil {
			return c, fmt.Errorf("line %d of the base: %w", n, err)
		}
		if read[l.about()] {
			return c, fmt.Errorf("line %d repeats an earlier line; delete one of them, or measure again", n)
		}
		read[l.about()] = true
	}
	if len(c.Counts) == 0 {
		return c, errors.New("the base has no counts")
	}
	return c, nil
}

// readLine is a line of a base whose amounts are not parsed yet.
type readLine struct {
	baseLine
	Each json.RawMessage `json:"each"`
}

// about identifies the subject of a line, which must be unique.
func (l readLine) about() [6]string {
	return [6]string{l.Count, l.Statement, l.Table, l.Index, l.WALOf + l.Is, l.Unknown}
}

func parseBaseLine(text []byte) (l readLine, err error) {
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(&l); err != nil {
		if field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown && json.Valid(text) {
			return l, fmt.Errorf("unknown field %s; use the version of realiops that wrote the base, or measure again", field)
		}
		return l, err
	}
	for tokens := json.NewDecoder(bytes.NewReader(text)); ; {
		switch token, err := tokens.Token(); {
		case err != nil: // the end: it was decoded
			return l, l.known()
		case token == nil && l.Of == nil:
			return l, errors.New("null is not an amount")
		}
	}
}

// known refuses a line of another form.
func (l readLine) known() error {
	if l.Schema != "" && l.Schema != BaseSchema {
		return fmt.Errorf("the form is %q, but this version of realiops reads %s; use the version that wrote it, or "+
			"measure again", l.Schema, BaseSchema)
	}
	return nil
}

func (c *Cost) readBaseLine(l readLine) error {
	if h := l.Of; h != nil {
		c.Operation, c.Server, c.Settings, c.Repetitions, c.Transactions, c.Incomplete = h.Operation, h.Server,
			h.Settings, h.Repetitions, h.Transactions, h.Incomplete
		c.Others = append(c.Others, h.Others...)
		return nil
	}
	if l.Count != "" {
		return c.readCount(l.baseLine, l.Each)
	}
	if l.WALOf != "" {
		return c.readRelation(l.baseLine, l.Each)
	}
	if l.Unknown == relationsUnknown {
		c.Relations.Missing = l.Missing
		return nil
	}
	if causes := c.sorts()[l.Unknown]; causes != nil {
		causes.Missing = l.Missing
		return nil
	}
	for of, causes := range c.sorts() {
		if name := *l.name(of); name != "" {
			item := Cause{Name: name}
			if of == "statements" {
				item.Text = name
			}
			if err := json.Unmarshal(l.Each, &item.Each); err != nil {
				return err
			}
			causes.Items = append(causes.Items, item)
			return nil
		}
	}
	return errors.New("it names no count, statement, table or index")
}

// mostRuns bounds the repetitions kept of a count.
const mostRuns = 10_000

// readCount reads a count. If its line has one value, all repetitions of the head have it.
func (c *Cost) readCount(l baseLine, each json.RawMessage) error {
	if c.Repetitions < 1 || c.Repetitions > mostRuns {
		return fmt.Errorf("no earlier line names the operation and 1 to %d repetitions", mostRuns)
	}
	n := missingCount(kind{name: l.Count, unit: l.Unit})
	n.Missing, n.Runs = l.Missing, l.Runs
	if n.Missing == "" {
		var median float64
		if err := json.Unmarshal(each, &median); err != nil {
			return err
		}
		if n.Runs == nil {
			n.Runs = slices.Repeat([]float64{median}, c.Repetitions)
		}
		if len(n.Runs) != c.Repetitions || stats.Median(n.Runs) != median {
			return fmt.Errorf("%s: each must be the median of %d runs", n.Name, c.Repetitions)
		}
		n.Low, n.Median, n.High = slices.Min(n.Runs), median, slices.Max(n.Runs)
		if n.Low < 0 {
			return fmt.Errorf("%s: %s is negative", n.Name, amount(n.Low))
		}
	}
	c.Counts = append(c.Counts, n)
	return nil
}
