//go:build linux

package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// measures repeatedly measures the cost of a statement. [measured] has the faults of
// operations, like those of other commands.
func measures(more ...string) prepare {
	return plain(append([]string{"measure", "--background", "200ms", "-r", "5", "--sql",
		"create table if not exists theirs (a int); insert into theirs select generate_series(1, 10)"}, more...)...)
}

// measuring returns a long one: each repetition takes a second.
func measuring() prepare {
	return plain("measure", "--background", "200ms", "-r", "20", "--save", record, "--sql",
		"create table if not exists theirs (a int); insert into theirs values (1); select pg_sleep(1)")
}

// measured returns the faults of `measure`, by class.
func measured(class string) (all []Fault) {
	under := moment{text: `"load":"operation","repetition":1,"event":"end"`}
	add := func(of, name string, f Fault) {
		if of == class {
			f.Name = "`measure`" + name
			all = append(all, f)
		}
	}
	add("process", " killed", Fault{Prepare: theirs(measuring()), When: under, Strike: signal(syscall.SIGKILL, program),
		Status: -1})
	add("process", " on its own server, killed", Fault{Prepare: measuring(), When: under,
		Strike: signal(syscall.SIGKILL, program), Status: -1})
	for name, by := range map[string]syscall.Signal{"Ctrl-C": syscall.SIGINT, "SIGTERM": syscall.SIGTERM,
		"SIGHUP": syscall.SIGHUP, `Ctrl-\`: syscall.SIGQUIT} {
		add("process", " and "+name, Fault{Prepare: theirs(measuring()), When: under, Strike: signal(by, group),
			Status: 2, Says: "stopped by SIG"})
	}
	add("process", " of a command, and Ctrl-C", Fault{Prepare: theirs(plain("measure", "--background", "200ms", "sleep",
		"60")), When: after(8 * time.Second), Strike: signal(syscall.SIGINT, group), Status: 2, Says: "stopped by SIG"})
	add("process", " with 8 file descriptors", Fault{Prepare: within("-n 8", theirs(measures())), Status: 1,
		Says: "too many open files"})
	add("disk", " whose output goes to a full disk", Fault{Prepare: printingTo("/dev/full", theirs(measures())),
		Status: 2, Says: "no space left"})
	add("disk", " onto a full disk", Fault{Prepare: theirs(measures("-o", "/dev/full")), Status: 2,
		Says: "no space left"})
	add("disk", " kept on a full disk", Fault{Prepare: theirs(measures("--save", "/dev/full")), Status: 1,
		Says: "/dev/full"})
	stop := toServer(func(s *server) error { return s.everyProcess(syscall.SIGSTOP) })
	wake := toServer(func(s *server) error { return s.everyProcess(syscall.SIGCONT) })
	add("server", ", whose server is restarted", Fault{Prepare: theirs(measuring()), When: under,
		Strike: again(syscall.SIGINT), Status: 2, Says: "realiops:"})
	add("server", ", whose server crashes and recovers", Fault{Prepare: theirs(measuring()), When: under,
		Strike: toServer(crash), Status: 2, Says: "realiops:"})
	add("server", ", whose server is killed", Fault{Prepare: theirs(measuring()), When: under,
		Strike: toServer(func(s *server) error {
			return s.end(syscall.SIGKILL)
		}), Status: 2, Says: "realiops:"})
	add("server", ", whose server hangs for 6 s", Fault{Prepare: theirs(plain("measure", "--background", "200ms", "-r",
		"10", "--save", record, "--sql", "select pg_sleep(1)")), When: under,
		Strike: stop.and(pause(6*time.Second), wake)})
	add("server", ", whose database is dropped", Fault{Prepare: meets{sql: []string{"create database d"},
		query: "dbname=d"}.by(measuring()), When: under, Strike: sql("drop database d with (force)"), Status: 2,
		Says: "realiops:"})
	add("network", ", whose connections are cut", Fault{Prepare: relayed(measuring()), When: under,
		Strike: network((*relay).cut), Status: 2, Says: "realiops:"})
	add("network", ", whose connections hang, and Ctrl-C", Fault{Prepare: relayed(measuring()), When: under,
		Within: 2 * time.Minute, Status: 2, Says: "stopped by SIG",
		Strike: network(func(r *relay) {
			r.fromNowOn(swallowed)
		}).and(pause(time.Second), signal(syscall.SIGINT, group))})
	table := []string{"create table others (a int)"}
	busy := besides(5*time.Millisecond, "insert into others select generate_series(1, 5000)")
	add("other sessions", ", while somebody writes", Fault{Prepare: meets{sql: table}.by(measuring()), When: under,
		Strike: busy, Marks: "other sessions were active meanwhile", Within: 4 * time.Minute})
	add("other sessions", ", while somebody comes, writes and goes", Fault{Prepare: meets{sql: table}.by(measuring()),
		When: under, Strike: visits(200*time.Millisecond, "insert into others select generate_series(1, 50)"),
		Marks: "at work on the server meanwhile", Within: 4 * time.Minute})
	add("settings", " with another search_path", Fault{Prepare: meets{
		sql: []string{"alter database postgres set search_path = public, nowhere"}}.by(measures())})
	add("settings", " with dates in German",
		Fault{Prepare: meets{sql: []string{"alter role postgres set datestyle = 'German'"}}.by(measures())})
	add("settings", " with a statement_timeout of 100 ms",
		Fault{Prepare: meets{sql: []string{"alter role postgres set statement_timeout = '100ms'"}}.by(measures())})
	add("settings", " of a statement that its statement_timeout ends",
		Fault{Prepare: meets{sql: []string{"alter role postgres set statement_timeout = '500ms'"}}.by(plain("measure",
			"--background", "200ms", "--sql", "select pg_sleep(1)")), Status: 2, Says: "statement timeout"})
	add("inputs", " of a statement that there is not",
		Fault{Prepare: theirs(plain("measure", "--background", "200ms", "--sql", "selekt 1")), Status: 2,
			Says: "syntax error"})
	add("inputs", " of a command that there is not",
		Fault{Prepare: theirs(plain("measure", "--background", "200ms", "--", "./none")), Status: 2,
			Says: "no such file"})
	add("inputs", " of a command that fails",
		Fault{Prepare: theirs(plain("measure", "--background", "200ms", "--", "sh", "-c", "exit 7")), Status: 7,
			Says: "exit status 7"})
	add("inputs", " with budgets of nothing known",
		Fault{Prepare: plain("measure", "--max", "wal_reckords=1", "--sql", "select 1"), Status: 1,
			Says: "wal_reckords"})
	add("inputs", " held against a file that is none", Fault{Prepare: file("hello\n", "measure", "--compare", "%",
		"--sql", "select 1"), Status: 1, Says: "not a realiops run file"})
	slices.SortFunc(all, byName)
	return all
}

// visits repeatedly connects, works and leaves until the command ends.
func visits(rest time.Duration, statement string) strike {
	return func(s *scene) error {
		s.others.Go(func() {
			for s.ctx.Err() == nil {
				_ = s.servers[0].ask(func(conn *pgx.Conn) error {
					_, err := conn.Exec(context.WithoutCancel(s.ctx), statement)
					return err
				})
				_ = s.pause(rest)
			}
		})
		return s.pause(50 * time.Millisecond)
	}
}

// kept are stores and accounts that fail, under the commands that read them.
func kept() []Fault {
	store := func(command ...string) prepare {
		return func(p *place) ([]string, error) { return append(command, "--prometheus", p.service), nil }
	}
	history, doctor := store("history", "-o", record), store("doctor")
	var all []Fault
	for name, command := range map[string]prepare{"history": history, "doctor": doctor} {
		for _, a := range storesAnswers() {
			all = append(all, Fault{Name: "`" + name + "` of a store that " + a.name, Prepare: at(a.does, command),
				Status: 1, Says: a.says, Never: "zqzx"})
		}
		all = append(all,
			Fault{Name: "`" + name + "` of a store that hangs, and Ctrl-C", Prepare: at(hung, command),
				When: after(2 * time.Second), Strike: signal(syscall.SIGINT, group), Status: 1, Says: "stopped by SIG"},
			Fault{Name: "`" + name + "` of a store that hangs, killed", Prepare: at(hung, command),
				When: after(2 * time.Second), Strike: signal(syscall.SIGKILL, program), Status: -1},
			Fault{Name: "`" + name + "` of a store where nobody listens", Prepare: plain(name, "--prometheus",
				"http://joe:zqzx@127.0.0.1:1/"), Status: 1, Says: "127.0.0.1:1 does not answer", Never: "zqzx"},
			Fault{Name: "`" + name + "` of a mistyped store", Prepare: plain(name, "--prometheus",
				"http:/joe:zqzx@127.0.0.1:1/"), Status: 1, Says: "the store's address must begin with",
				Never: "zqzx"},
		)
	}
	for _, name := range []string{"aws cost --cluster shop", "aws limits", "prices aws"} {
		command := plain(append(words(name), "--region", "eu-central-1")...)
		all = append(all, Fault{Name: "`" + strings.Join(words(name)[:2], " ") +
			"` from an account that hangs, and Ctrl-C", Prepare: behind(hungAccount, command),
			When: after(2 * time.Second), Strike: signal(syscall.SIGINT, group), Status: 1, Says: "interrupt"})
	}
	slices.SortFunc(all, byName)
	return all
}

// exported are invalid files for the commands that read other programs' files.
func exported() (all []Fault) {
	bill := []string{"aws", "cost", "--from", "%"}
	add := func(name, text, says string, args ...string) {
		all = append(all, Fault{Name: name, Prepare: file(text, args...), Status: 1, Says: says})
	}
	add("`aws cost` of an empty file", "", "the file is empty", bill...)
	add("`aws cost` of a web page", "<html>", "a web page, not JSON", bill...)
	add("`aws cost` of a file that is cut off", `{"MetricDataResults": [`, "unexpected end of JSON", bill...)
	add("`aws cost` of a first page", `{"MetricDataResults": [], "NextToken": "x"}`,
		"the first page of several", bill...)
	add("`aws cost` of a series below 0",
		`{"MetricDataResults": [{"Label": "VolumeReadIOPs Sum shop", "Timestamps": ["2026-10-01T00:00:00Z", "2026-10-01T01:00:00Z"], "Values": [1, -2]}]}`, "cannot be negative", bill...)
	add("`aws cost` of a series with an escape sequence in its name",
		`{"MetricDataResults": [{"Label": "VolumeReadIOPs Maximum \u001b[2J", "Timestamps": ["2026-10-01T00:00:00Z", "2026-10-01T01:00:00Z"], "Values": [1, 2]}]}`, `\x1b[2J`, bill...)
	add("`aws cost` of a month with too much", "", "NAME=NUMBER", "aws", "cost", "--month", "reads=1e300")
	add("`size` with limits that are none", "[{}]", "provider must be", "size", "--need", "iops=3000,kb=8",
		"--limits", "%")
	add("`history` with a token of two lines", "a\nb", "the token must be one line", "history", "--prometheus",
		"http://127.0.0.1:1", "--token-file", "%")
	add("`history` for longer than anything is kept", "", "want 1m to 455d", "history", "--prometheus",
		"http://127.0.0.1:1", "--for", "99999999999999999d")
	return all
}

func byName(a, b Fault) int { return strings.Compare(a.Name, b.Name) }

func full(args ...string) prepare { return printingTo("/dev/full", plain(args...)) }

// onFullDisks are later commands that print to a full disk.
func onFullDisks() []Fault {
	return []Fault{
		{Name: "`aws cost` whose output goes to a full disk", Prepare: full("aws", "cost", "--month",
			"reads=4e9,writes=1e9,gib=800", "--class", "db.r6g.large"), Status: 1, Says: "no space left"},
		{Name: "`aws cost --query` whose output goes to a full disk",
			Prepare: full("aws", "cost", "--query", "--cluster", "shop"), Status: 1, Says: "no space left"},
		{Name: "`share` onto a full disk", Prepare: on("local-pg17.jsonl.zst", "share", "%", "-o", "/dev/full"),
			Status: 1, Says: "/dev/full"},
		{Name: "`history` over a file that is there", Prepare: first(func(p *place) error {
			return os.WriteFile(p.path("mine"), []byte("mine\n"), 0o600)
		}, plain("history", "--prometheus", "http://127.0.0.1:1", "-o", "mine")), Status: 1, Says: "realiops:"},
	}
}
