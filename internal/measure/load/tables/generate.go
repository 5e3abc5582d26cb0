package tables

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Rows of each table at scale 1.
const (
	branchesPerScale = 1
	tellersPerScale  = 10
	accountsPerScale = 100_000
)

// generate fills the tables by COPY.
func (i *initializer) generate(ctx context.Context) error {
	i.say("generating data (client-side)...\n")
	scale := int64(i.Scale)
	return i.refill(ctx, func() error {
		for _, f := range []filling{ // this order satisfies existing foreign keys
			{table: "pgbench_branches", total: branchesPerScale * scale, tail: "\t0\t\\N\n"},
			{table: "pgbench_tellers", total: tellersPerScale * scale, perBranch: tellersPerScale, tail: "\t0\t\\N\n"},
			{table: "pgbench_accounts", total: accountsPerScale * scale, perBranch: accountsPerScale, tail: "\t0\t\n"},
		} {
			if err := i.copy(ctx, f); err != nil {
				return fmt.Errorf("fill %s: %w", f.table, err)
			}
		}
		return nil
	})
}

// refill truncates and fills the tables in one transaction, which lets the server freeze rows on arrival.
func (i *initializer) refill(ctx context.Context, fill func() error) error {
	return pgx.BeginFunc(ctx, i.conn, func(pgx.Tx) error {
		if err := i.run(ctx, "truncate table "+allTables); err != nil {
			return err
		}
		return fill()
	})
}

func (i *initializer) copy(ctx context.Context, f filling) error {
	sql, err := i.copyStatement(ctx, f.table)
	if err != nil {
		return err
	}
	p := newProgress(i.Options, f)
	_, err = i.conn.PgConn().CopyFrom(ctx, newRows(f, p), sql)
	p.end()
	if err != nil {
		return detailed(err, sql)
	}
	return nil
}

// freezes is the server version since which pgbench freezes rows as it copies them.
const freezes = 14_00_00

func (i *initializer) copyStatement(ctx context.Context, table string) (string, error) {
	sql := fmt.Sprintf("copy %s from stdin", table)
	version, err := i.serverVersion(ctx)
	if err != nil || version < freezes {
		return sql, err
	}
	var plain bool // the server cannot freeze rows of a partitioned table
	err = i.conn.QueryRow(ctx, `select relkind operator(pg_catalog.=) 'r' from pg_catalog.pg_class
		where oid operator(pg_catalog.=) $1::pg_catalog.text::pg_catalog.regclass`, table).Scan(&plain)
	if plain {
		sql += " with (freeze on)"
	}
	return sql, err
}

func (s session) serverVersion(ctx context.Context) (version int, err error) {
	err = s.conn.QueryRow(ctx, "select pg_catalog.current_setting('server_version_num')::int").Scan(&version)
	return version, err
}

// generateOnServer fills the tables with the same rows by SQL on the server.
func (i *initializer) generateOnServer(ctx context.Context) error {
	i.say("generating data (server-side)...\n")
	return i.refill(ctx, func() error {
		return i.run(ctx,
			fmt.Sprintf("insert into pgbench_branches (bid, bbalance) select bid, 0 from "+
				"pg_catalog.generate_series(1, %d) as bid", branchesPerScale*i.Scale),
			fmt.Sprintf("insert into pgbench_tellers (tid, bid, tbalance) select tid, %s, 0 from "+
				"pg_catalog.generate_series(1, %d) as tid", branchOf("tid", tellersPerScale), tellersPerScale*i.Scale),
			fmt.Sprintf("insert into pgbench_accounts (aid, bid, abalance, filler) select aid, %s, 0, '' from "+
				"pg_catalog.generate_series(1, %d) as aid",
				branchOf("aid", accountsPerScale), accountsPerScale*int64(i.Scale)))
	})
}

// branchOf returns the branch of a row by its number. It qualifies operators, since the search_path is the user's.
func branchOf(number string, perBranch int) string {
	return fmt.Sprintf("((%s operator(pg_catalog.-) 1) operator(pg_catalog./) %d) operator(pg_catalog.+) 1",
		number, perBranch)
}

// filling describes a table's rows: numbered from 1, each with its branch and a balance of zero.
type filling struct {
	table     string
	total     int64
	perBranch int64  // rows of one branch; 0 in the table of branches itself
	tail      string // the balance and the filler, in COPY's format
}

// rows is a reader of a filling in COPY's text format. It returns whole rows.
type rows struct {
	filling
	progress *progress
	done     int64
	rest     []byte // of the row, after its number: the same for all rows of a branch
}

func newRows(f filling, p *progress) *rows {
	return &rows{filling: f, progress: p, rest: []byte(f.tail)}
}

// longestRow bounds a row's bytes: two numbers, and the tail with a tab.
const longestRow = 20 + 20 + 8

// Read fills p with whole rows. COPY asks for tens of kilobytes.
func (r *rows) Read(p []byte) (int, error) {
	text := p[:0:len(p)]
	for r.done < r.total && len(text)+longestRow <= len(p) {
		if r.perBranch > 0 && r.done%r.perBranch == 0 {
			r.rest = strconv.AppendInt(append(r.rest[:0], '\t'), r.done/r.perBranch+1, 10)
			r.rest = append(r.rest, r.tail...)
		}
		r.done++
		text = append(strconv.AppendInt(text, r.done, 10), r.rest...)
		r.progress.at(r.done)
	}
	switch {
	case len(text) > 0:
		return len(text), nil
	case r.done < r.total:
		return 0, io.ErrShortBuffer
	default:
		return 0, io.EOF
	}
}

// Between two lines of progress, as in pgbench.
const (
	rowsALine    = 100_000
	secondsALine = 5   // if quiet
	rowsALook    = 100 // between two looks at the clock, if quiet
)

type progress struct {
	out             io.Writer
	filling         filling
	quiet, terminal bool
	begin           time.Time
	lines           int // number of the next line if quiet, from 1
	width           int // width of the last line
}

func newProgress(o Options, f filling) *progress {
	return &progress{out: o.Progress, filling: f, quiet: o.Quiet, terminal: o.Terminal, begin: time.Now(), lines: 1}
}

// at is called for every row.
func (p *progress) at(done int64) {
	if done%rowsALook != 0 {
		return
	}
	if !p.quiet {
		if done%rowsALine == 0 {
			p.line(done, time.Since(p.begin))
		}
		return
	}
	elapsed := time.Since(p.begin)
	if due := time.Duration(p.lines) * secondsALine * time.Second; elapsed >= due || done == p.filling.total {
		p.line(done, elapsed)
		p.lines = int(elapsed/(secondsALine*time.Second)) + 1
	}
}

func (p *progress) line(done int64, elapsed time.Duration) {
	total := p.filling.total
	remaining := elapsed.Seconds() * float64(total-done) / float64(done)
	text := fmt.Sprintf("%d of %d tuples (%d%%) of %s done (elapsed %.2f s, remaining %.2f s)",
		done, total, done*100/total, p.filling.table, elapsed.Seconds(), remaining)
	end := "\n"
	if p.terminal {
		end = "\r"
	}
	fmt.Fprintf(p.out, "%-*s%s", p.width, text, end)
	p.width = len(text)
}

// end clears the line left on a terminal.
func (p *progress) end() {
	if p.terminal && p.width > 0 {
		fmt.Fprintf(p.out, "%s\r", strings.Repeat(" ", p.width))
	}
}
