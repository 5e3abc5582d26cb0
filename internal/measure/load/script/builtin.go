package script

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Builtin is a built-in script, which uses the tables of the initialization.
type Builtin struct {
	Name        string
	Description string // the name that reports show
	Text        string
}

// The pieces of the built-in scripts. The statements are pgbench's, so that results compare.
const (
	drawAccount = "\\set aid random(1, 100000 * :scale)\n"
	drawOthers  = "\\set bid random(1, 1 * :scale)\n" + "\\set tid random(1, 10 * :scale)\n" +
		"\\set delta random(-5000, 5000)\n"
	changeAccount = "UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;\n"
	readAccount   = "SELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n"
	changeTeller  = "UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;\n"
	changeBranch  = "UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;\n"
	addHistory    = "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) " +
		"VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);\n"
)

// Builtins lists the built-in scripts, the default one first.
func Builtins() []Builtin {
	return []Builtin{
		{
			"tpcb-like", "<builtin: TPC-B (sort of)>",
			drawAccount + drawOthers + "BEGIN;\n" +
				changeAccount + readAccount + changeTeller + changeBranch + addHistory + "END;\n",
		},
		{
			"simple-update", "<builtin: simple update>",
			drawAccount + drawOthers + "BEGIN;\n" + changeAccount + readAccount + addHistory + "END;\n",
		},
		{"select-only", "<builtin: select only>", drawAccount + readAccount},
	}
}

// FindBuiltin finds a built-in script by a prefix of its name.
func FindBuiltin(prefix string) (Builtin, error) {
	var found []Builtin
	var names []string
	for _, b := range Builtins() {
		names = append(names, b.Name)
		if strings.HasPrefix(b.Name, prefix) {
			found = append(found, b)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Builtin{}, fmt.Errorf("no built-in script found for name %q; use one of %s",
			prefix, strings.Join(names, ", "))
	default:
		return Builtin{}, fmt.Errorf("%d built-in scripts found for prefix %q; use one of %s",
			len(found), prefix, strings.Join(names, ", "))
	}
}

// SplitWeight splits the argument of -f or -b at its last @; without one the weight is 1.
func SplitWeight(argument string) (name string, weight int, err error) {
	i := strings.LastIndexByte(argument, '@')
	if i < 0 {
		return argument, 1, nil
	}
	weight, err = strconv.Atoi(argument[i+1:])
	if err != nil || weight < 0 || weight > math.MaxInt32 {
		// without the name: a URL has its password before the @
		return "", 0, fmt.Errorf("invalid weight %q; want an integer from 0 to %d", argument[i+1:], math.MaxInt32)
	}
	return argument[:i], weight, nil
}
