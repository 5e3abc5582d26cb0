//go:build linux

package main

import (
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/test/liartest"
)

// lies are servers that begin like PostgreSQL and then violate the protocol.
func lies() (all []Fault) {
	for _, command := range []string{"doctor", "run", "observe", "measure --sql select", "load"} {
		name := words(command)[0]
		for _, lie := range liartest.Lies() {
			// like pgbench, a load continues as long as data arrives
			byItself := !lie.Greets || lie.Ends && (name != "load" || !lie.Floods)
			f := Fault{
				Name:    fmt.Sprintf("`%s` of a server that %s", name, lie.Name),
				Prepare: lied(lie, command), Status: 1, Says: "realiops:",
			}
			if name == "load" && lie.Greets && (byItself || lie.Name == "sends rows without an end") { // else nothing was run
				f.Status = 2
			}
			if byItself {
				f.Within = 30 * time.Second
			} else {
				f.Name += ", and Ctrl-C"
				f.When, f.Strike = after(1500*time.Millisecond), onceInterrupted
			}
			all = append(all, f)
		}
	}
	return in("lies", all...)
}

// lied prepares a command on a liar.
func lied(lie liartest.Lie, command string) prepare {
	return func(p *place) ([]string, error) {
		liar, err := liartest.Listen(lie)
		if err != nil {
			return nil, err
		}
		p.atEnd(liar.Close)
		args := append(words(command), "--dsn", liar.DSN())
		if args[0] == "load" {
			return file("select 1;\n", append(args, "-n", "-T", "600", "-f", "%")...)(p)
		}
		return args, nil
	}
}

// After Ctrl-C the command must end, or repeat what it waits for, within these times. A busy machine needs slack.
const (
	endsWithin = 10 * time.Second
	toldEvery  = 5 * time.Second
	slack      = 3 * time.Second
)

// onceInterrupted presses Ctrl-C, and checks that the command soon ends or prints what it waits for.
func onceInterrupted(s *scene) error {
	if err := syscall.Kill(-s.command.Process.Pid, syscall.SIGINT); err != nil {
		return err
	}
	begun := time.Now()
	told, at := 0, begun
	for s.ctx.Err() == nil {
		if lines := strings.Count(s.command.Err.String(), waiting); lines > told {
			told, at = lines, time.Now()
		}
		if time.Since(begun) > endsWithin+slack && time.Since(at) > toldEvery+slack {
			return fmt.Errorf("%v after Ctrl-C it goes on, and has said nothing for %v", time.Since(begun),
				time.Since(at))
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}
