package shell

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shells returns the shells of this machine, each with options that skip its user's files. bash is also tested as an
// interactive shell.
func shells(t testing.TB) (all [][]string) {
	for _, s := range [][]string{
		{"sh"}, {"dash"}, {"bash", "--norc"}, {"bash", "--norc", "-o", "histexpand", "-o", "history"}, {"zsh", "-f"},
		{"busybox", "sh"}, {"ksh"},
	} {
		if path, err := exec.LookPath(s[0]); err == nil {
			all = append(all, append([]string{path}, s[1:]...))
		}
	}
	if len(all) == 0 {
		t.Skip("there is no shell")
	}
	return all
}

// words returns how a shell splits a command line, by running a program that prints its words.
func words(t testing.TB, shell []string, line string) []string {
	t.Helper()
	const program = "realiops"
	script := program + "() { printf '%s\\0' \"$@\"; }\nPATH=/nonexistent\n" + line + "\n"
	c := exec.Command(shell[0], shell[1:]...)
	c.Stdin, c.Dir, c.Env = strings.NewReader(script), t.TempDir(), []string{"HOME=/home", "IFS= "}
	var told bytes.Buffer
	c.Stderr = &told
	out, err := c.Output()
	if err != nil || told.Len() > 0 {
		t.Fatalf("%v on %q: %v %s", shell, line, err, told.String())
	}
	if left, err := os.ReadDir(c.Dir); err != nil || len(left) > 0 {
		t.Fatalf("%v on %q: it left %v %v", shell, line, left, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

var hostile = []string{
	"20261123;touch${IFS}PWNED;$(id)", "`id`", "a b", "a  b", "'", "''", `'\''`, `"`, `\`, `a\`, "!!", "!$", "$HOME",
	"~", "~root", "=ls", "*", "?", "[a-z]", "{a,b}",
	"-v", "--help", "-", "", "#", "a#b", "a&b", "a|b", "a>b", "<(id)", "a;b", "(a)", "^a^b", "%1", "@a", "a,b", "é",
	"日本", "'; id; '", "$'a'", "\"$(id)\"", "LAST", "..",
}

func TestWordsComeThroughShells(t *testing.T) {
	for _, shell := range shells(t) {
		for _, data := range slices.DeleteFunc(slices.Clone(hostile), func(data string) bool { return data == "" }) {
			line := New("realiops report").File(data, "FILE").Flag("--load", data, "LOAD").With("-v").String()
			file, flag := data, []string{"--load", data}
			if strings.HasPrefix(data, "-") {
				file, flag = "./"+data, []string{"--load=" + data}
			}
			want := slices.Concat([]string{"report", file}, flag, []string{"-v"})
			if diff := cmp.Diff(want, words(t, shell, line)); diff != "" {
				t.Errorf("%v on %s (-want +got):\n%s", shell, line, diff)
			}
		}
	}
}

func TestUncopiableNamesAreNotSuggested(t *testing.T) {
	for _, data := range []string{
		"a\nb", "a\rb", "a\tb", "\x00", "\x1b[2J", "\x7f", "\u0085", "\u202egnp", "\u200b", "\u2028", "\u00a0",
		"\u3000", "\u3164", "\ufe0f", "\ufeff", "\xff", "a\xc3",
		"\u2800", "\u2019", "\ue000", "\U000e0041",
	} {
		if quoted, possible := Word(data); possible {
			t.Errorf("%q is suggested as %s", data, quoted)
		}
		if got := New("realiops report").File(data, "FILE").With("-v").String(); got != "realiops report FILE -v" {
			t.Errorf("%q makes %q", data, got)
		}
	}
}

func TestSentencesHoldNoQuotes(t *testing.T) {
	for data, want := range map[string]string{"a.jsonl": "a.jsonl", "a b": "FILE", "$(id)": "FILE", "": "FILE",
		"-x": "./-x"} {
		if got := InText("realiops report").File(data, "FILE").String(); got != "realiops report "+want {
			t.Errorf("%q makes %q", data, got)
		}
	}
}

func TestOnWindowsNothingIsQuoted(t *testing.T) {
	if got, possible := wordOn("windows", `realiops-runs\a.jsonl`); !possible || got != `realiops-runs\a.jsonl` {
		t.Errorf("a path: %q, %v", got, possible)
	}
	for _, data := range []string{"a b", "a&b", "%PATH%", "a'b", "$(calc)", "@a", "a,b", ""} {
		if got, possible := wordOn("windows", data); possible {
			t.Errorf("%q is suggested as %s", data, got)
		}
	}
}

// FuzzWord compares suggested words with what real shells make of them.
func FuzzWord(f *testing.F) {
	for _, data := range append(hostile, "a\nb", "\xff", "\u202e") {
		f.Add(data)
	}
	all := shells(f)
	f.Fuzz(func(t *testing.T, data string) {
		quoted, possible := Word(data)
		if !possible || len(data) > 4096 {
			return
		}
		if strings.ContainsAny(quoted, "\n\r\t\x00\x1b") || quoted != strings.TrimSpace(quoted) {
			t.Fatalf("%q is suggested as %q", data, quoted)
		}
		for _, shell := range all {
			if diff := cmp.Diff([]string{data}, words(t, shell, "realiops "+quoted)); diff != "" {
				t.Errorf("%v on %s (-want +got):\n%s", shell, quoted, diff)
			}
		}
	})
}
