package role_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/role"
)

// shout repeats its input in capitals, and fails without input.
func shout() role.Role {
	return role.Role{Name: "shout", Play: func(in io.Reader, out io.Writer) error {
		text, err := io.ReadAll(in)
		if err == nil && len(text) == 0 {
			err = errors.New("nothing to shout")
		}
		if err != nil {
			return err
		}
		_, err = out.Write(bytes.ToUpper(text))
		return err
	}}
}

func TestMain(m *testing.M) {
	if status, played := role.Main(os.Args, shout()); played {
		os.Exit(status)
	}
	os.Exit(m.Run())
}

func TestThisProgramPlaysARole(t *testing.T) {
	check := func(text, out, complaint string, change func(args []string)) {
		t.Helper()
		c, err := shout().Command(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		change(c.Args)
		var said, complained strings.Builder
		c.Stdin, c.Stdout, c.Stderr = strings.NewReader(text), &said, &complained
		err = c.Run()
		if said.String() != out || complained.String() != complaint || (err != nil) != (complaint != "") {
			t.Errorf("%q: %q and %q, %v, want %q and %q", text, said.String(), complained.String(), err, out, complaint)
		}
	}
	check("hello", "HELLO", "", func([]string) {})
	check("", "", "nothing to shout\n", func([]string) {})
	check("hello", "", "realiops was replaced while running (v0.0.1 by (devel)); start it again\n", func(args []string) {
		args[2] = "v0.0.1"
	})
}

// TestNoRoleStartsAnother: a program that does not know its role ends, and one that does
// not call Main starts no third.
func TestNoRoleStartsAnother(t *testing.T) {
	unknown, err := role.Role{Name: "sing"}.Command(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if said, err := unknown.CombinedOutput(); err == nil ||
		!strings.HasSuffix(string(said), ": unknown role sing\n") {
		t.Errorf("%q, %v", said, err)
	}
	t.Setenv("REALIOPS_ROLE", "sing")
	if _, err := shout().Command(t.Context()); err == nil {
		t.Error("a process that was started for a role starts another")
	}
}

func TestPeopleStartNoRole(t *testing.T) {
	for _, args := range [][]string{{"realiops"}, {"realiops", "shout"}, {"realiops", "run", "shout"},
		{"realiops", "shout", "a", "b"}} {
		if _, played := role.Main(args, shout()); played {
			t.Errorf("%q is taken for the role", args)
		}
	}
}
