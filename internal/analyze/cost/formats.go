package cost

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/printable"
)

// Tagged is a result as JSON has it. Fields may be added under the same schema.
type Tagged struct {
	Schema string `json:"schema"`
	Result
}

// Tagged names the schema.
func (r Result) Tagged() Tagged { return Tagged{"realiops.measure/1", r} }

// GoBench writes each repetition as a line of a Go benchmark, which benchstat reads.
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

// benchName is a name that go test could have printed: it begins with a capital and has no spaces.
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

// JUnit writes each budget as a test.
func JUnit(w io.Writer, r Result) error {
	type failure struct {
		Message string `xml:"message,attr"`
	}
	type test struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Failure *failure `xml:"failure,omitempty"`
		Error   *failure `xml:"error,omitempty"`
	}
	suite := struct {
		XMLName  xml.Name `xml:"testsuite"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Cases    []test   `xml:"testcase"`
	}{Name: "realiops measure", Tests: len(r.Budgets)}
	for _, j := range r.Budgets {
		one := test{Name: j.Text, Class: r.Operation.Text}
		switch j.Verdict {
		case Over:
			suite.Failures++
			one.Failure = &failure{j.Sentence()}
		case CannotTell:
			suite.Errors++
			one.Error = &failure{j.Sentence()}
		}
		suite.Cases = append(suite.Cases, one)
	}
	out, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, out)
	return err
}

// Sentence says what became of a budget.
func (j Judged) Sentence() string {
	text := fmt.Sprintf("%s: %s a %s, and at most %s", j.Name, amount(j.Value), j.Per, amount(j.Max))
	if j.Verdict == CannotTell {
		text = fmt.Sprintf("%s: whether it is at most %s a %s cannot be told: %s", j.Name, amount(j.Max), j.Per, j.Why)
	}
	return printable.Line(text) // others call themselves what they like
}

// GitHub writes what is not within its budget as annotations of a workflow.
func GitHub(w io.Writer, r Result) error {
	escape := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	for _, j := range r.Budgets {
		level := map[Verdict]string{Over: "error", CannotTell: "warning", Within: "notice"}[j.Verdict]
		if _, err := fmt.Fprintf(w, "::%s title=realiops measure::%s\n", level, escape.Replace(j.Sentence())); err != nil {
			return err
		}
	}
	return nil
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
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(map[string]map[string]measure{r.Operation.Text: measures})
}
