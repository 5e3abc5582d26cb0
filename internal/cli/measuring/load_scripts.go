package measuring

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/script"
)

// scriptArgument is a requested script; their order on the command line counts.
type scriptArgument struct {
	file    string          // "" for a built-in script
	builtin *script.Builtin // nil for a file
	weight  int
}

func (o *loadOptions) takeBuiltin(s string) error {
	if s == "list" {
		o.listScripts = true
		return nil
	}
	name, weight, err := script.SplitWeight(s)
	if err != nil {
		return err
	}
	return o.addBuiltin(name, weight)
}

func (o *loadOptions) takeFile(s string) error {
	name, weight, err := script.SplitWeight(s)
	return errors.Join(err, o.addScript(scriptArgument{file: name, weight: weight}))
}

func (o *loadOptions) addBuiltin(name string, weight int) error {
	b, err := script.FindBuiltin(name)
	return errors.Join(err, o.addScript(scriptArgument{builtin: &b, weight: weight}))
}

// mostScripts is pgbench's limit.
const mostScripts = 128

func (o *loadOptions) addScript(s scriptArgument) error {
	if len(o.scripts) == mostScripts {
		return fmt.Errorf("at most %d scripts are allowed", mostScripts)
	}
	o.scripts = append(o.scripts, s)
	return nil
}

func (o *loadOptions) readScripts(ctx context.Context, env command.Env) (*script.Set, []engine.Weighted, error) {
	set := script.NewSet()
	var all []engine.Weighted
	for _, argument := range o.scripts {
		name, text, err := argument.read(ctx, env.In)
		if err != nil {
			return nil, nil, err
		}
		parsed, err := set.Parse(name, text)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, engine.Weighted{Script: parsed, Weight: argument.weight})
	}
	return set, all, nil
}

func (a scriptArgument) read(ctx context.Context, in io.Reader) (name, text string, err error) {
	if a.builtin != nil {
		return a.builtin.Description, a.builtin.Text, nil
	}
	var b []byte
	if a.file == command.StandardInput {
		b, err = input.ReadFrom(ctx, in, "standard input")
	} else {
		b, err = input.Read(ctx, a.file)
	}
	if err != nil {
		return "", "", fmt.Errorf("read the script: %w", err)
	}
	if before, _, ok := bytes.Cut(b, []byte{0}); ok {
		return "", "", fmt.Errorf("%s: line %d contains a NUL byte", a.file, bytes.Count(before, []byte{'\n'})+1)
	}
	return a.file, string(b), nil
}
