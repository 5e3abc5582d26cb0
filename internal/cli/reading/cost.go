package reading

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/realiops/realiops/internal/analyze/cost"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/runfile"
)

// CostForms are the formats of programs that read costs of operations.
var CostForms = []string{command.FormatBase, command.FormatGo, command.FormatJUnit, command.FormatGitHub,
	command.FormatBencher}

// CostAnswer returns the cost of an operation. Text explains each count if meanings is set, and a page always does.
func CostAnswer(r cost.Result, meanings bool) command.Finding {
	with := func(meanings bool) func() document.Document {
		return func() document.Document { return r.Document(meanings) }
	}
	return command.Finding{What: "a measurement", Value: r.Tagged(), Words: with(meanings),
		Forms: map[string]func(io.Writer) error{
			command.FormatHTML:     func(w io.Writer) error { return document.HTML(w, r.Document(true)) },
			command.FormatMarkdown: func(w io.Writer) error { return document.Markdown(w, r.Document(false)) },
			command.FormatCSV:      func(w io.Writer) error { return document.CSV(w, r.Document(false)) },
			command.FormatBase:     func(w io.Writer) error { return cost.WriteBase(w, r) },
			command.FormatGo:       func(w io.Writer) error { return cost.GoBench(w, r) },
			command.FormatJUnit:    func(w io.Writer) error { return cost.JUnit(w, r) },
			command.FormatGitHub:   func(w io.Writer) error { return cost.GitHub(w, r) },
			command.FormatBencher:  func(w io.Writer) error { return cost.Bencher(w, r) },
		}}
}

// BudgetsMet returns the error of exceeded budgets, or nil.
func BudgetsMet(r cost.Result) error {
	if over := r.Exceeded(); over != "" {
		return command.WithCode(command.ExitGate, errors.New("over the budget: "+over))
	}
	var unknown []string
	for _, j := range r.Budgets {
		if j.Verdict == cost.CannotTell {
			unknown = append(unknown, j.Judgement())
		}
	}
	if len(unknown) > 0 {
		return command.WithCode(command.ExitCannotTell, errors.New(strings.Join(unknown, "; ")))
	}
	return nil
}

// writeCost shows a saved measurement again.
func writeCost(env command.Env, c cost.Cost, format string, verbose bool) error {
	return env.Answer(format, CostAnswer(cost.Result{Cost: c}, verbose))
}

// NamedCost returns the cost in a base or a run file.
func NamedCost(env command.Env, name string) (cost.Cost, error) {
	if base, ok, err := baseIn(name); ok {
		return base, err
	}
	run, err := command.NamedRun(env, name)
	if errors.Is(err, runfile.ErrNotRunFile) {
		err = fmt.Errorf("%w, nor a base", err)
	}
	if err != nil {
		return cost.Cost{}, err
	}
	c, err := cost.Of(run)
	return c, command.Naming(name, err)
}

// baseIn reads a base; ok is false if the file is not one.
func baseIn(name string) (c cost.Cost, ok bool, err error) {
	file, err := os.Open(name)
	if err != nil {
		return c, false, nil //nolint:nilerr // the reader of run files reports it
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return c, false, nil //nolint:nilerr // likewise
	}
	head := make([]byte, 64)
	n, _ := io.ReadFull(file, head) // a shorter one is not a base
	if !cost.IsBase(head[:n]) {
		return c, false, nil
	}
	rest, err := io.ReadAll(io.LimitReader(file, input.Most))
	if err == nil {
		c, err = cost.ReadBase(append(head[:n], rest...))
	}
	return c, true, command.Naming(name, err)
}
