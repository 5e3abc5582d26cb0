//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const head = `{"kind":"run","schema":"realiops.run/1","id":"x","start":"2026-01-01T00:00:00Z","version":"none","target":{"kind":"dsn","flavor":"postgres","version":"17.1","storage":{}},"host":{"os":"linux","arch":"amd64","cpus":2},"plan":{"loads":[],"repetitions":1,"load_seconds":5,"seed":1}}` + "\n"

func lines(n int, format string) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, format+"\n", i)
	}
	return text.String()
}

// inputs are files and names that people hand in.
func inputs() (all []Fault) {
	add := func(name string, says string, prepare prepare) {
		all = append(all, Fault{Class: "inputs", Name: name, Prepare: prepare, Status: 1, Says: says})
	}
	for _, command := range []string{"report", "size"} {
		add("`"+command+"` of an empty file", "the file is empty", file("", command, "%"))
		add("`"+command+"` of what is no run file", "not a realiops run file", file("hello\n", command, "%"))
		add("`"+command+"` of a directory", "is a directory", plain(command, "."))
		add("`"+command+"` of no file", "no such file", plain(command, "none.jsonl"))
		add("`"+command+"` of a damaged line", "line 2: the file is corrupt", file(head+"{\"kind\":\"load\",,}\n"+head,
			command, "%"))
		add("`"+command+"` of a newer format", "use a newer realiops", file(strings.Replace(head, "run/1", "run/9", 1),
			command, "%"))
		add("`"+command+"` of two files joined", "a second run line", file(head+head, command, "%"))
		add("`"+command+"` of a file of gzip", "gzip is not supported", file("\x1f\x8b\x08\x00", command, "%"))
		add("`"+command+"` of a name with an escape sequence", `none\x1B[2J`, plain(command, "none\x1b[2J"))
	}
	add("a plan that is no JSON", "read the plan", file("{", "run", "--plan", "%"))
	add("a plan with an unknown field", "unknown field", file(`{"armz":[]}`, "run", "--plan", "%"))
	add("a price file that is none", "prices", func(p *place) ([]string, error) {
		args := []string{"size", filepath.Join(p.runs, "local-pg17.jsonl.zst"), "--price", p.path("file")}
		return args, os.WriteFile(p.path("file"), []byte("[]"), 0o600)
	})
	return append(all, in("inputs", append(exported(), measured("inputs")...)...)...)
}

// secrets are connection strings that people mistype. No part of the password, zq or zx, is printed.
func secrets() (all []Fault) {
	for _, dsn := range []string{
		"postgres:/joe:zqzx@127.0.0.1/db", "joe:zqzx@127.0.0.1/db", "postgres://joe:zq/zx@127.0.0.1/db",
		"postgres://joe:zq@zx@127.0.0.1/db",
		"postgres://joe:zqzx@[::1/db", "host=127.0.0.1 pasword=zqzx", "host=127.0.0.1 password='zqzx",
		"host=127.0.0.1,password=zqzx",
	} {
		for _, command := range []string{"run", "doctor", "observe", "load", "measure --sql select"} {
			if command == "load" && strings.Count(dsn, "@") == 2 { // which it reads as it was meant
				continue
			}
			all = append(all, Fault{
				Class: "inputs", Name: fmt.Sprintf("`%s` with a mistyped connection string: `%s`", words(command)[0],
					strings.NewReplacer("zq", "se", "zx", "cret").Replace(dsn)),
				Prepare: plain(append(words(command), "--dsn", dsn)...), Status: 1,
				Says: "not shown, as it may contain a password", Never: "zx",
			})
		}
	}
	for _, command := range []string{"run", "doctor", "observe", "report", "aws cost", "history", "share", "explain"} {
		all = append(all, Fault{
			Class: "inputs", Name: "`" + command +
				"` of what was to be an address: `postgres:/joe:secret@127.0.0.1/db`",
			Prepare: plain(append(words(command), "postgres:/joe:zqzx@127.0.0.1/db")...), Status: 1,
			Says: "postgres:/joe:***@127.0.0.1", Never: "zx",
		})
	}
	return all
}
