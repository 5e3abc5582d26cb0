package script

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// CommandKind says which field of a [Command] is set.
type CommandKind uint8

// The commands of a script. \gset and \aset belong to the statement before them.
const (
	KindSQL           CommandKind = iota // Statement
	KindSet                              // Assignment
	KindIf                               // use Script.Branch
	KindElif                             // use Script.Branch
	KindElse                             // use Script.Branch
	KindEndif                            // use Script.Branch
	KindSleep                            // Sleep
	KindStartPipeline                    // no field
	KindSyncPipeline                     // no field
	KindEndPipeline                      // no field
	KindCopyRows                         // Rows
	KindInsertRows                       // Rows
)

// Script is a parsed script.
type Script struct {
	Name     string
	Source   string // its whole text
	Commands []Command
}

// Command is a statement or a meta-command.
type Command struct {
	Kind CommandKind
	Line int    // where it begins, from 1
	Text string // as written: the first line of a statement, a meta-command whole

	Statement  *Statement
	Assignment *Assignment
	Sleep      *Sleep
	Rows       *Rows

	condition *Expr // of \if and \elif
	next      int   // the \elif, \else or \endif after this branch
	end       int   // the \endif
}

// Assignment is \set.
type Assignment struct {
	Slot int
	Expr *Expr
}

// Run computes the value and stores it.
func (a *Assignment) Run(env *Env) error {
	v, err := a.Expr.Eval(env)
	if err == nil {
		env.Vars.SetValue(a.Slot, v)
	}
	return err
}

// Branch runs the conditional command at index at, and returns the index of the next command. The engine calls it
// only for commands that it reaches, not for those it skips.
func (s *Script) Branch(env *Env, at int) (int, error) {
	switch c := &s.Commands[at]; c.Kind {
	case KindIf:
		for ; c.condition != nil; c = &s.Commands[at] { // \else and \endif have none
			v, err := c.condition.Eval(env)
			if err != nil {
				return 0, s.Wrap(at, err)
			}
			if v.Truth() {
				break
			}
			at = c.next
		}
	case KindElif, KindElse: // reached only from the branch taken
		return c.end + 1, nil
	}
	return at + 1, nil
}

// Wrap adds the command's place to an error.
func (s *Script) Wrap(at int, err error) error {
	c := &s.Commands[at]
	return fmt.Errorf("%s:%d: %s: %w", s.Name, c.Line, firstLine(c.Text), err)
}

// Sleep is \sleep: a number, or a variable evaluated at run time.
type Sleep struct {
	Unit   time.Duration
	number int64
	slot   int // noSlot for a number
}

// Duration returns how long to sleep; zero or less means not at all.
func (s *Sleep) Duration(vars *Vars) (time.Duration, error) {
	number := s.number
	if s.slot != noSlot {
		text, defined := vars.AppendText(nil, s.slot)
		if !defined {
			return 0, fmt.Errorf("undefined variable %q", vars.set.names[s.slot])
		}
		var ok bool
		if number, ok = leadingInt(string(text)); !ok {
			return 0, fmt.Errorf("invalid sleep time %q in variable %q", text, vars.set.names[s.slot])
		}
	}
	if number > math.MaxInt64/int64(s.Unit) {
		return 0, fmt.Errorf("sleep time %d is too long", number)
	}
	return time.Duration(max(number, 0)) * s.Unit, nil
}

// leadingInt parses the integer at the beginning of a text, as C's atoi does. Numbers
// out of range become the largest.
func leadingInt(text string) (number int64, ok bool) {
	digits := unsigned(text)
	end := len(digits) - len(strings.TrimLeft(digits, "0123456789"))
	negative := strings.HasPrefix(strings.TrimLeft(text, cSpace), "-")
	for _, c := range digits[:end] {
		if number > (math.MaxInt64-9)/10 {
			return math.MaxInt64, true
		}
		number = number*10 + int64(c-'0')
	}
	if negative {
		number = -number
	}
	return number, end > 0
}
