package script

import (
	"strings"
	"time"
)

type parser struct {
	sqlScanner
	set    *Set
	script *Script
	open   [][]int // the branches so far of each \if without its \endif, innermost last
}

// Parse reads one script of the set. Errors are a [*ParseError] and name the file, the line and the column.
func (s *Set) Parse(name, text string) (*Script, error) {
	p := &parser{set: s, script: &Script{Name: name, Source: text}}
	p.source = &source{name: name, text: text}
	for {
		found, err := p.statement()
		if err != nil {
			return nil, err
		}
		if found.text != "" {
			p.add(Command{
				Kind: KindSQL, Line: p.line(found.start), Text: firstLine(found.text),
				Statement: newStatement(p.set, found.text),
			})
		}
		switch found.end {
		case atBackslash:
			err = p.meta()
		case endOfText:
			return p.script, p.finish()
		}
		if err != nil {
			return nil, err
		}
	}
}

func (p *parser) add(c Command) { p.script.Commands = append(p.script.Commands, c) }

// finish reports errors that show only at the end of the script.
func (p *parser) finish() error {
	if len(p.open) > 0 {
		c := p.script.Commands[p.open[len(p.open)-1][0]]
		return &ParseError{File: p.name, Line: c.Line, Column: 1, Command: "if", Message: `no matching \endif`}
	}
	if len(p.script.Commands) == 0 {
		return p.errorAt(0, "", "the script has no commands")
	}
	return nil
}

type metaCommand struct {
	at      int // of the backslash
	name    string
	command Command
}

func (p *parser) meta() error {
	m := &metaCommand{at: p.pos}
	p.skip(1)
	m.name = strings.ToLower(p.word())
	if m.name == "" {
		return nil // a backslash alone only ends the statement before it
	}
	m.command.Line = p.line(m.at)
	if m.name == "gset" || m.name == "aset" {
		return p.gather(m)
	}
	if err := p.arguments(m); err != nil {
		return err
	}
	m.command.Text = strings.TrimSpace(p.text[m.at:p.pos])
	p.add(m.command)
	switch at := len(p.script.Commands) - 1; m.command.Kind {
	case KindIf:
		p.open = append(p.open, []int{at})
	case KindElif, KindElse, KindEndif:
		return p.branch(m, at)
	}
	return nil
}

// arguments reads the arguments, up to the end of the line.
func (p *parser) arguments(m *metaCommand) (err error) {
	switch m.name {
	case "set":
		return p.setVariable(m)
	case "if", "elif":
		m.command.Kind = KindIf
		if m.name == "elif" {
			m.command.Kind = KindElif
		}
		m.command.condition, err = p.expression(m)
		return err
	case "sleep":
		return p.sleep(m)
	case "copy_rows", "insert_rows":
		return p.rows(m)
	case "shell", "setshell":
		return p.fail(m, "running shell commands is not supported; run them first, and pass their output with -D")
	}
	kind, ok := plainCommands[m.name]
	if !ok {
		return p.errorAt(m.at, "", "unknown meta-command \\%s", m.name)
	}
	m.command.Kind = kind
	return p.noMore(m)
}

// plainCommands are the meta-commands without arguments.
var plainCommands = map[string]CommandKind{
	"else": KindElse, "endif": KindEndif,
	"startpipeline": KindStartPipeline, "syncpipeline": KindSyncPipeline, "endpipeline": KindEndPipeline,
}

func (p *parser) fail(m *metaCommand, format string, args ...any) error {
	return p.errorAt(m.at, m.name, format, args...)
}

func (p *parser) noMore(m *metaCommand) error {
	if word := p.word(); word != "" {
		return p.fail(m, "unexpected argument %q", word)
	}
	return nil
}

func (p *parser) setVariable(m *metaCommand) error {
	name := p.word()
	if name == "" {
		return p.fail(m, "missing variable name")
	}
	if !validName(name) {
		return p.fail(m, "invalid variable name %q", name)
	}
	expr, err := p.expression(m)
	if err != nil {
		return err
	}
	m.command.Kind = KindSet
	m.command.Assignment = &Assignment{Slot: p.set.slot(name), Expr: expr}
	return nil
}

func (p *parser) expression(m *metaCommand) (*Expr, error) {
	p.skipBlank()
	e := &exprParser{source: p.source, set: p.set, command: m.name}
	if err := e.advance(); err != nil {
		return nil, err
	}
	expr, err := e.wholeExpr()
	if err == nil && e.next.kind != tokenEnd {
		err = e.unexpected()
	}
	return expr, err
}

var sleepUnits = map[string]time.Duration{"us": time.Microsecond, "ms": time.Millisecond, "s": time.Second,
	"": time.Second}

// sleep reads a time and its unit, by default seconds; no space is needed between them.
func (p *parser) sleep(m *metaCommand) error {
	number, unit := p.word(), p.word()
	if number == "" {
		return p.fail(m, "missing time")
	}
	s := &Sleep{slot: noSlot}
	if name, ok := strings.CutPrefix(number, ":"); ok {
		s.slot = p.set.slot(name)
	} else {
		digits := strings.TrimLeft(unsigned(number), "0123456789")
		var ok bool
		if s.number, ok = leadingInt(number); !ok || digits != "" && unit != "" {
			return p.fail(m, "invalid time %q, must be an integer", number)
		}
		unit = digits + unit
	}
	var ok bool
	if s.Unit, ok = sleepUnits[strings.ToLower(unit)]; !ok {
		return p.fail(m, "unrecognized time unit %q, must be us, ms or s", unit)
	}
	m.command.Kind, m.command.Sleep = KindSleep, s
	return p.noMore(m)
}

// gather reads \gset or \aset for the statement before it.
func (p *parser) gather(m *metaCommand) error {
	prefix := p.word()
	if err := p.noMore(m); err != nil {
		return err
	}
	last := len(p.script.Commands) - 1
	if last < 0 || p.script.Commands[last].Kind != KindSQL {
		return p.fail(m, "must follow an SQL statement")
	}
	st := p.script.Commands[last].Statement
	if st.Gather != GatherNone {
		return p.fail(m, `the statement already has a \gset or \aset`)
	}
	st.Prefix, st.Gather = prefix, GatherLast
	if m.name == "aset" {
		st.Gather = GatherAll
	}
	return nil
}

// branch ends the previous branch and begins another, or ends the \if.
func (p *parser) branch(m *metaCommand, at int) error {
	if len(p.open) == 0 {
		return p.fail(m, `no matching \if`)
	}
	innermost := &p.open[len(p.open)-1]
	above := &p.script.Commands[(*innermost)[len(*innermost)-1]]
	if above.Kind == KindElse && m.command.Kind != KindEndif {
		return p.fail(m, `not allowed after the \else in line %d`, above.Line)
	}
	above.next = at
	if m.command.Kind != KindEndif {
		*innermost = append(*innermost, at)
		return nil
	}
	for _, i := range *innermost {
		p.script.Commands[i].end = at
	}
	p.open = p.open[:len(p.open)-1]
	return nil
}
