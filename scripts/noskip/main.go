// Command noskip fails when a test that must run was skipped or did not run, so that a skip cannot rot:
//
//	go run ./scripts/noskip LIST EVENTS
//
// EVENTS is the output of go test -json. A line of LIST is a package's directory and the name of a test in it,
// which then stands for its subtests too; a directory alone stands for all tests of the package. A # begins a
// comment.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: noskip LIST EVENTS")
		os.Exit(2)
	}
	missing, err := check(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "noskip:", err)
		os.Exit(2)
	}
	for _, m := range missing {
		fmt.Fprintln(os.Stderr, "must run:", m)
	}
	if len(missing) > 0 {
		os.Exit(1)
	}
}

func check(listFile, eventsFile string) ([]string, error) {
	list, err := os.Open(listFile)
	if err != nil {
		return nil, err
	}
	defer list.Close()
	required, err := readList(list)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", listFile, err)
	}
	events, err := os.Open(eventsFile)
	if err != nil {
		return nil, err
	}
	defer events.Close()
	results, err := readEvents(events)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", eventsFile, err)
	}
	return missing(required, results), nil
}

// test names a test in a package, or without a name the whole package.
type test struct{ directory, name string }

func readList(r io.Reader) (required []test, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		switch fields := strings.Fields(text); len(fields) {
		case 0:
		case 1:
			required = append(required, test{directory: fields[0]})
		case 2:
			required = append(required, test{fields[0], fields[1]})
		default:
			return nil, fmt.Errorf("line %d: want a directory and a test, have %q", n, text)
		}
	}
	return required, lines.Err()
}

// result is the outcome of a test.
type result struct {
	test
	skipped bool
	said    string // its own last output
}

// module is the path before a package's directory.
const module = "github.com/realiops/realiops/"

// readEvents returns the finished tests, in that order.
func readEvents(r io.Reader) (results []result, err error) {
	said := map[test]string{}
	events := json.NewDecoder(r)
	for {
		var e struct{ Action, Package, Test, Output string }
		switch err := events.Decode(&e); {
		case err == io.EOF:
			return results, nil
		case err != nil:
			return nil, err
		}
		of := test{strings.TrimPrefix(e.Package, module), e.Test}
		text := strings.TrimSpace(e.Output)
		switch {
		case e.Test == "":
		case e.Action == "output" && text != "" && !strings.HasPrefix(text, "--- ") && !strings.HasPrefix(text, "=== "):
			said[of] = text
		case e.Action == "pass", e.Action == "fail", e.Action == "skip":
			results = append(results, result{of, e.Action == "skip", said[of]})
		}
	}
}

// missing returns, for each required test that did not run, the reason.
func missing(required []test, results []result) (lines []string) {
	for _, want := range required {
		ran := false
		for _, r := range results {
			if !want.covers(r.test) {
				continue
			}
			ran = true
			if r.skipped {
				lines = append(lines, fmt.Sprintf("%s %s was skipped: %s", r.directory, r.name, r.said))
			}
		}
		if !ran {
			lines = append(lines, strings.TrimSpace(want.directory+" "+want.name)+" did not run")
		}
	}
	return lines
}

func (t test) covers(other test) bool {
	return t.directory == other.directory &&
		(t.name == "" || t.name == other.name || strings.HasPrefix(other.name, t.name+"/"))
}
