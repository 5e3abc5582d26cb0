//go:build linux

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// ids are run files whose id, which appears in reports and suggested commands, means
// something to a shell or a terminal.
func ids() (all []Fault) {
	for _, id := range []string{
		"20261123;touch${IFS}PWNED;$(id)", "`id`", "'; id; '", "-oPWNED", "a\nid\n", "\x1b[2Ja", "\u202Egpj.a", "a b",
	} {
		for _, command := range []string{"report % -v", "report % --format md", "report % --format html", "size %"} {
			name, _, _ := strings.Cut(command, " ")
			if _, format, is := strings.Cut(command, "--format "); is {
				name += " --format " + format
			}
			never := "realiops report " + id
			if strings.ContainsAny(id, "\n\x1b\u202E") {
				never = id // not even shown unchanged
			}
			all = append(all, Fault{
				Class: "ids", Name: "`" + name + "` of a run whose id is `" +
					strings.ReplaceAll(strings.Trim(strconv.QuoteToASCII(id), `"`), "`", "'") + "`",
				Prepare: called(id, words(command)...), Never: never,
			})
		}
	}
	return all
}

// called prepares a command on a run with an id.
func called(id string, args ...string) prepare {
	return func(p *place) ([]string, error) {
		run, err := os.ReadFile(filepath.Join(p.runs, "loads-pg17.jsonl"))
		if err != nil {
			return nil, err
		}
		as, err := json.Marshal(id)
		if err != nil {
			return nil, err
		}
		run = regexp.MustCompile(`"id":"[^"]*"`).ReplaceAllLiteral(run, append([]byte(`"id":`), as...))
		return file(string(run), args...)(p)
	}
}
