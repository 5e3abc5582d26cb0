package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// file prepares a command on a file with some text, which is named by % in it.
func file(text string, args ...string) func(*place) ([]string, error) {
	return func(p *place) ([]string, error) {
		err := os.WriteFile(p.path("file"), []byte(text), 0o600)
		return with(args, p.path("file")), err
	}
}

func with(args []string, name string) []string {
	all := append([]string{}, args...)
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], "%", name)
	}
	return all
}

func plain(args ...string) func(*place) ([]string, error) {
	return func(*place) ([]string, error) { return args, nil }
}

// on prepares a command on a shipped run, named by %.
func on(run string, args ...string) func(*place) ([]string, error) {
	return func(p *place) ([]string, error) { return with(args, filepath.Join(p.runs, run)), nil }
}

const head = `{"kind":"run","schema":"realiops.run/1","id":"x","start":"2026-01-01T00:00:00Z","version":"none","target":{"kind":"dsn","flavor":"postgres","version":"17.1","storage":{}},"host":{"os":"linux","arch":"amd64","cpus":2},"plan":{"arms":[],"replicates":1,"arm_seconds":5,"seed":1}}` + "\n"

func lines(n int, format string) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, format+"\n", i)
	}
	return text.String()
}

// inputs are files and names that people hand in.
func inputs() (all []Fault) {
	add := func(name string, says string, prepare func(*place) ([]string, error)) {
		all = append(all, Fault{Class: "inputs", Name: name, Prepare: prepare, Status: 1, Says: says})
	}
	for _, command := range []string{"analyze", "report", "size"} {
		add("`"+command+"` of an empty file", "the file is empty", file("", command, "%"))
		add("`"+command+"` of what is no run file", "not a realiops run file", file("hello\n", command, "%"))
		add("`"+command+"` of a directory", "is a directory", plain(command, "."))
		add("`"+command+"` of no file", "no such file", plain(command, "none.jsonl"))
		add("`"+command+"` of a damaged line", "line 2: the file is damaged there", file(head+"{\"kind\":\"arm\",,}\n"+head, command, "%"))
		add("`"+command+"` of a newer format", "use a newer realiops", file(strings.Replace(head, "run/1", "run/9", 1), command, "%"))
		add("`"+command+"` of two files joined", "a second run line", file(head+head, command, "%"))
		add("`"+command+"` of a file of gzip", "packed by gzip", file("\x1f\x8b\x08\x00", command, "%"))
		add("`"+command+"` of a name with an escape sequence", `none\x1B[2J`, plain(command, "none\x1b[2J"))
	}
	add("a plan that is no JSON", "read the plan", file("{", "run", "--plan", "%"))
	add("a plan with an unknown field", "unknown field", file(`{"armz":[]}`, "run", "--plan", "%"))
	add("a price file that is none", "prices", func(p *place) ([]string, error) {
		args := []string{"size", filepath.Join(p.runs, "local-pg17.jsonl.zst"), "--price", p.path("file")}
		return args, os.WriteFile(p.path("file"), []byte("[]"), 0o600)
	})
	return all
}

// limits are inputs that ask for more than there is.
func limits() []Fault {
	metric := `{"kind":"metric","name":"pgstat.wal/m%d","unit":"records","type":"counter"}`
	event := `{"kind":"arm","at":"2026-01-01T00:00:00Z","arm":"a%d","replicate":1,"event":"begin"}`
	plan := func(p string) string { return `{"arms":[{"name":"a","method":"copy"` + p }
	all := []Fault{
		{Name: "40,000 metrics in a run file", Prepare: file(head+lines(40_000, metric), "analyze", "%"), Says: "more than 2000 metrics"},
		{Name: "3,000 loads in a run file", Prepare: file(head+lines(3_000, event), "analyze", "%"), Says: "more than 100 loads"},
		{Name: "2,000,000 empty lines", Prepare: file(head+strings.Repeat("\n", 2_000_000), "analyze", "%"), Says: "more than 1000000 empty lines"},
		{Name: "a line of 20 MB", Prepare: file(head+strings.Repeat("x", 20<<20), "analyze", "%"), Says: "longer than 16 MiB"},
		{Name: "a plan with 1e18 repetitions", Prepare: file(plan(`}],"replicates":1000000000000000000}`), "run", "--plan", "%"), Says: "at most 1000"},
		{Name: "a plan with 1e9 clients", Prepare: file(plan(`,"clients":1000000000}]}`), "run", "--plan", "%"), Says: "at most 10000"},
		{Name: "an endless plan", Prepare: plain("run", "--plan", "/dev/zero"), Says: "longer than 4 MiB"},
		{Name: "an endless price file", Prepare: on("local-pg17.jsonl.zst", "size", "%", "--price", "/dev/zero"), Says: "longer than 4 MiB"},
		{
			Name: "a plan from a pipe that nobody writes to, and Ctrl-C", Interrupt: time.Second, Within: 5 * time.Second, Says: "interrupt",
			Prepare: func(p *place) ([]string, error) {
				return []string{"run", "--plan", p.path("pipe")}, syscall.Mkfifo(p.path("pipe"), 0o600)
			},
		},
	}
	for i := range all {
		all[i].Class, all[i].Status = "limits", 1
	}
	return all
}

// secrets are connection strings that people mistype. No part of the password, zq or zx, is printed.
func secrets() (all []Fault) {
	for _, dsn := range []string{
		"postgres:/joe:zqzx@127.0.0.1/db", "joe:zqzx@127.0.0.1/db", "postgres://joe:zq/zx@127.0.0.1/db", "postgres://joe:zq@zx@127.0.0.1/db",
		"postgres://joe:zqzx@[::1/db", "host=127.0.0.1 pasword=zqzx", "host=127.0.0.1 password='zqzx", "host=127.0.0.1,password=zqzx",
	} {
		for _, command := range []string{"run", "doctor", "observe", "load"} {
			if command == "load" && strings.Count(dsn, "@") == 2 { // which it reads as it was meant
				continue
			}
			all = append(all, Fault{
				Class: "inputs", Name: fmt.Sprintf("`%s` with a mistyped connection string: `%s`", command, strings.NewReplacer("zq", "se", "zx", "cret").Replace(dsn)),
				Prepare: plain(command, "--dsn", dsn), Status: 1, Says: "It is not shown, because it may hold a password", Never: "zx",
			})
		}
	}
	return all
}

// disks are places that cannot be written, and full ones.
func disks() (all []Fault) {
	add := func(name, says string, prepare func(*place) ([]string, error)) {
		all = append(all, Fault{Class: "disk", Name: name, Prepare: prepare, Status: 1, Says: says})
	}
	for _, command := range []string{"run", "observe"} {
		add("`"+command+"` into a directory", "exists", plain(command, "--dsn", "postgres://u@127.0.0.1:1/x", "-o", "."))
		add("`"+command+"` over a file that is there", "exists", file("mine\n", command, "--dsn", "postgres://u@127.0.0.1:1/x", "-o", "%"))
	}
	add("`report` onto a full disk", "no space left", on("local-pg17.jsonl.zst", "report", "%", "-o", "/dev/full"))
	return all
}

// network are servers that are not there, and those that hang.
func network() (all []Fault) {
	for _, command := range []string{"run", "doctor", "observe", "load"} {
		all = append(all,
			Fault{
				Class: "network", Name: "`" + command + "` where nobody listens", Prepare: plain(command, "--dsn", "postgres://u@127.0.0.1:1/x"),
				Status: 1, Says: "connection refused; is the server running there?",
			},
			Fault{
				Class: "network", Name: "`" + command + "` on what takes the connection and says nothing", Within: 30 * time.Second, Status: 1, Says: "no answer in time",
				Prepare: func(*place) ([]string, error) {
					silent, err := net.Listen("tcp", "127.0.0.1:0")
					if err != nil {
						return nil, err
					}
					return []string{command, "--dsn", fmt.Sprintf("postgres://u@%s/x?connect_timeout=2&sslmode=disable", silent.Addr())}, nil
				},
			})
	}
	return all
}

// clouds are accounts that do not answer.
func clouds() []Fault {
	return []Fault{{
		Class: "cloud", Name: "`collect` of a run that was on no database of AWS's", Status: 1, Says: "there is nothing to collect",
		Prepare: func(p *place) ([]string, error) {
			text, err := os.ReadFile(filepath.Join(p.runs, "arms-pg17.jsonl"))
			if err != nil {
				return nil, err
			}
			return []string{"collect", p.path("run.jsonl")}, os.WriteFile(p.path("run.jsonl"), text, 0o600)
		},
	}}
}
