package tables

import (
	"fmt"
	"io"
	"strings"
	"time"
)

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
