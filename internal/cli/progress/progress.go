// Package progress shows what a run is doing, from the same records that go into the run file.
//
// A [Display] is two lines redrawn in place (bar), a line for each repetition (plain), or nothing. It writes only to
// standard error. Before the run file begins it gets stages in words, and records afterwards.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Mode is the style in which progress is shown.
type Mode string

// The modes; Auto is Bar on a terminal and None elsewhere.
const (
	Auto  Mode = "auto"
	Plain Mode = "plain"
	Bar   Mode = "bar"
	None  Mode = "none"
)

// Resolve returns the mode to show, from the user's choice and whether there is a terminal.
func Resolve(asked string, terminal bool) (Mode, error) {
	switch mode := Mode(asked); mode {
	case Plain, Bar, None:
		return mode, nil
	case Auto:
		if terminal {
			return Bar, nil
		}
		return None, nil
	default:
		return None, fmt.Errorf("--progress %q: want auto, bar, plain or none", asked)
	}
}

// redraw is the interval at which a bar moves; the other is the interval of plain lines during a long load.
const (
	redraw = 250 * time.Millisecond
	while  = 30 * time.Second
)

// Display shows progress until Close.
type Display struct {
	// Layout breaks a message into lines; nil: it is one line. Letters says that the terminal shows letters beyond
	// ASCII. Set both before anything is shown.
	Layout  func(string) string
	Letters bool

	out   io.Writer
	mode  Mode
	width func() int

	mu       sync.Mutex
	stage    string
	run      run
	drawn    int // lines of the bar
	lastLine time.Time

	stop chan struct{}
	done sync.WaitGroup
}

// New returns a display. It calls width at every redraw.
func New(out io.Writer, mode Mode, width func() int) *Display {
	d := &Display{out: out, mode: mode, width: width, stop: make(chan struct{})}
	if mode == Bar {
		d.done.Go(d.keepDrawing)
	}
	return d
}

// Stage shows the activity before there are records.
func (d *Display) Stage(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stage = printable.Line(text)
	switch d.mode {
	case Plain:
		d.say(d.stage)
	case Bar:
		d.draw()
	}
}

// Doing sets the activity shown while no load runs; empty: a load runs.
func (d *Display) Doing(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.run.doing = printable.Line(text)
}

// Lasts sets the expected duration of the loads from now on.
func (d *Display) Lasts(announced time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.run.until = time.Now().Add(announced)
}

// Found shows formatted text that stays.
func (d *Display) Found(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mode == Bar || d.mode == Plain {
		d.clear()
		fmt.Fprint(d.out, text)
	}
}

// Looked reports whether the display is shown, so that [Display.Found] is worth the work.
func (d *Display) Looked() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mode == Bar || d.mode == Plain
}

// Message prints a line that stays, whatever the mode.
func (d *Display) Message(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clear()
	d.say(printable.Line(text))
}

func (d *Display) say(text string) {
	if d.Layout != nil {
		text = d.Layout(text)
	}
	fmt.Fprintln(d.out, text)
}

// Record follows the run.
func (d *Display) Record(r runfile.Record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stage = ""
	d.run.follow(r)
	if d.mode != Plain {
		return
	}
	switch r := r.(type) { // a line at the end of each repetition, and now and then within a long one
	case runfile.LoadEvent:
		if r.Event == runfile.End {
			d.say(d.run.sentence(r.At))
		}
		d.lastLine = r.At
	case runfile.Work:
		if r.To.Sub(d.lastLine) > while {
			d.say(d.run.sentence(r.To))
			d.lastLine = r.To
		}
	}
}

// Close removes a bar.
func (d *Display) Close() {
	close(d.stop)
	d.done.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clear()
	d.mode = None
}

func (d *Display) keepDrawing() {
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	for {
		select {
		case <-d.stop:
			return
		case <-tick.C:
			d.mu.Lock()
			d.draw()
			d.mu.Unlock()
		}
	}
}

// draw draws the lines; the caller holds the lock. It leaves one column free, because
// some terminals wrap at the last.
func (d *Display) draw() {
	lines := []string{d.stage}
	if d.stage == "" {
		lines = d.run.lines(d.width()-1, d.Letters)
	}
	if len(lines) == 0 {
		return
	}
	for i := range lines {
		lines[i] = clip(lines[i], d.width()-1)
	}
	fmt.Fprint(d.out, d.erased()+strings.Join(lines, "\n"))
	d.drawn = len(lines)
}

func (d *Display) clear() { fmt.Fprint(d.out, d.erased()) }

// erased returns the text that erases the lines, from the last up.
func (d *Display) erased() string {
	if d.drawn == 0 {
		return ""
	}
	up := strings.Repeat("\x1b[A\r\x1b[K", d.drawn-1)
	d.drawn = 0
	return "\r\x1b[K" + up
}

// clip cuts a line after its last word that fits: part of a number would be another number.
func clip(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= max(width, 0) {
		return text
	}
	fits := string(runes[:max(width, 0)])
	if space := strings.LastIndexByte(fits, ' '); space > 0 && runes[len([]rune(fits))] != ' ' {
		fits = fits[:space]
	}
	return fits
}
