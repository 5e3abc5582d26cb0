package cost

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/printable"
)

type testCase struct {
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	Failure *message `xml:"failure,omitempty"`
	Error   *message `xml:"error,omitempty"`
	Skipped *message `xml:"skipped,omitempty"`
	Out     string   `xml:"system-out,omitempty"`
}

// message has its text twice, because GitLab shows the text and others show the attribute.
type message struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func messageOf(text string) *message { return &message{text, text} }

// JUnit writes a test for each count, or for each of its budgets, and one for the operation itself.
func JUnit(w io.Writer, r Result) error {
	suite := struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Cases    []testCase `xml:"testcase"`
	}{Name: "realiops measure", Cases: r.cases()}
	suite.Tests = len(suite.Cases)
	for _, c := range suite.Cases {
		suite.Failures += len(c.Failure.list())
		suite.Errors += len(c.Error.list())
		suite.Skipped += len(c.Skipped.list())
	}
	out, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, out)
	return err
}

func (m *message) list() []*message {
	if m == nil {
		return nil
	}
	return []*message{m}
}

func (r Result) cases() []testCase {
	class := printable.Line(r.Operation.Text)
	done := testCase{Name: "runs without error", Class: class}
	if r.Failed != "" {
		done.Error = messageOf(printable.Line(r.Failed))
	}
	all := []testCase{done}
	for _, c := range r.Counts {
		of := slices.DeleteFunc(slices.Clone(r.Budgets), func(j Judged) bool { return j.Name != c.Name })
		if len(of) == 0 {
			all = append(all, testCase{Name: c.Name, Class: class, Skipped: skipped(c.Missing), Out: c.sentence()})
		}
		for _, j := range of {
			all = append(all, j.testCase(class))
		}
	}
	for _, j := range r.Budgets {
		if _, counted := r.Find(j.Name); !counted {
			all = append(all, j.testCase(class))
		}
	}
	return all
}

func skipped(why string) *message {
	if why == "" {
		return nil
	}
	return messageOf("not counted: " + printable.Line(why))
}

func (j Judged) testCase(class string) testCase {
	test := testCase{Name: j.Text, Class: class}
	switch sentence := messageOf(j.Sentence()); j.Verdict {
	case Over:
		test.Failure = sentence
	case CannotTell:
		test.Error = sentence
	case NotJudged:
		test.Skipped = sentence
	default:
		test.Out = sentence.Message
	}
	return test
}

// sentence describes a count; empty if it is missing.
func (c Count) sentence() string {
	switch {
	case c.Missing != "":
		return ""
	case c.Low == c.High:
		return fmt.Sprintf("%s: %s each time", c.Name, amount(c.Median))
	default:
		return fmt.Sprintf("%s: %s each time (%s)", c.Name, amount(c.Median), spread(c.Runs))
	}
}

// Sentence describes the verdict on a budget, and what made it grow.
func (j Judged) Sentence() string {
	if len(j.Grew) == 0 {
		return j.Judgement()
	}
	return j.Judgement() + moreThanBefore(j.Grew)
}

// moreThanBefore lists what did more than in the base.
func moreThanBefore(grew []Growth) string {
	return printable.Line(". More than in the base: " + strings.Join(sayAll(grew), "; "))
}

// Exceeded lists the budgets exceeded, and the cause: what did more than in the base, or the statement that wrote most.
func (r Result) Exceeded() string {
	var all []string
	var grew []Growth
	for _, j := range r.Budgets {
		if j.Verdict == Over {
			all, grew = append(all, j.Judgement()), append(grew, j.Grew...)
		}
	}
	switch statement := printable.Line(r.Costliest()); {
	case len(all) == 0:
		return ""
	case len(grew) > 0:
		return strings.Join(all, "; ") + moreThanBefore(grew)
	case statement != "":
		return strings.Join(append(all, statement), "; ")
	}
	return strings.Join(all, "; ")
}

// Judgement describes the verdict on a budget.
func (j Judged) Judgement() string {
	_, most, _ := strings.Cut(strings.TrimSuffix(j.Text, "/tx"), "=")
	most = strings.TrimSpace(most)
	asked := "whether it is at most " + amount(j.Max) + " a " + j.Per
	switch more, plus := strings.CutPrefix(strings.ReplaceAll(most, " ", ""), "base+"); {
	case j.OverBase == nil:
		most = amount(j.Max)
	case j.Base != nil:
		most = fmt.Sprintf("%s (%s, which was %s)", amount(j.Max), most, amount(*j.Base))
		asked = "whether it is at most " + most + " a " + j.Per
	case plus:
		asked = "whether it is more than in the base by over " + more
	default:
		asked = "whether it is more than in the base"
	}
	var text string
	switch j.Verdict {
	case CannotTell:
		text = fmt.Sprintf("%s: %s is unknown: %s", j.Name, asked, j.Why)
	case NotJudged:
		text = fmt.Sprintf("%s: %s was not judged: %s", j.Name, asked, j.Why)
	default:
		text = fmt.Sprintf("%s: %s a %s; the budget is %s", j.Name, amount(j.Value), j.Per, most)
		if j.Why != "" {
			text += " (" + j.Why + ")"
		}
	}
	return printable.Line(text) // names of others may contain anything
}

// GitHub writes the verdicts as annotations of a workflow.
func GitHub(w io.Writer, r Result) error {
	escape := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	annotate := func(level, text string) error {
		_, err := fmt.Fprintf(w, "::%s title=realiops measure::%s\n", level, escape.Replace(text))
		return err
	}
	if r.Failed != "" {
		if err := annotate("error", printable.Line(r.Failed)); err != nil {
			return err
		}
	}
	for _, j := range r.Budgets {
		level := map[Verdict]string{Over: "error", CannotTell: "warning", Within: "notice",
			NotJudged: "warning"}[j.Verdict]
		if err := annotate(level, j.Sentence()); err != nil {
			return err
		}
	}
	return nil
}
