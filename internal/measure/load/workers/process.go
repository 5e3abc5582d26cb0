package workers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// process is a worker as seen by its parent. It belongs to one Run, but any goroutine may call tell.
type process struct {
	number  int // from 1
	command *exec.Cmd
	kill    context.CancelFunc

	mu    sync.Mutex
	words *json.Encoder

	connected bool
	ticks     []*tick // not added up yet
	ended     *ended
	silenced  bool // its last tick was taken
	gone      bool // no more events come

	lastSign time.Time // when it last reported
	still    bool      // its silence was reported
}

// event is a worker's report, or its end.
type event struct {
	from   *process
	report report
	gone   bool
	cause  error // of its end
}

// complaints bounds the part of a worker's standard error that is kept: its reason not to begin,
// or the first lines of a crash.
const complaints = 4 << 10

// start starts a worker, which sends its reports to events until it is gone.
func (c Crew) start(ctx context.Context, number int, events chan<- event) (*process, error) {
	ctx, kill := context.WithCancel(context.WithoutCancel(ctx))
	p := &process{number: number, kill: kill, lastSign: time.Now()}
	err := p.start(ctx, c.command, events)
	if err != nil {
		kill()
		return nil, fmt.Errorf("start worker %d of the load: %w", number, err)
	}
	return p, nil
}

func (p *process) start(ctx context.Context, command func(context.Context) (*exec.Cmd, error),
	events chan<- event) (err error) {
	if p.command, err = command(ctx); err != nil {
		return err
	}
	p.command.SysProcAttr = attributes()
	p.command.Env = slices.DeleteFunc(p.command.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "PGPASSWORD=")
	})
	if os.Getenv("GOGC") == "" { // the collector would begin with what packages allocate at start
		p.command.Env = append(p.command.Env, "GOGC=200")
	}
	p.command.WaitDelay = time.Second // a program's own children may hold its output open
	complaint := &beginning{}
	p.command.Stderr = complaint
	in, err := p.command.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.command.Start(); err != nil {
		return err
	}
	p.words = json.NewEncoder(in)
	go func() {
		err := p.hear(out, events)
		p.kill() // it may have sent nonsense, or closed its output and gone on
		events <- event{from: p, gone: true, cause: whyEnded(err, p.command.Wait(), complaint.text.String())}
	}()
	return nil
}

// hear passes on the worker's reports until there are no more.
func (p *process) hear(out io.Reader, events chan<- event) error {
	reports := json.NewDecoder(out)
	var first report
	if err := reports.Decode(&first); err != nil || first.Greeting != greeting {
		return errNoWorker
	}
	for {
		var r report
		if err := reports.Decode(&r); err != nil {
			return err
		}
		events <- event{from: p, report: r}
	}
}

var errNoWorker = errors.New("not a worker of this version of realiops; does its main function call role.Main with " +
	"workers.Role?")

// whyEnded returns why a worker ended: its complaint, or else its exit status.
func whyEnded(readErr, waitErr error, complaint string) error {
	complaint = strings.Join(strings.Fields(complaint), " ")
	switch {
	case complaint != "":
		return errors.New(complaint)
	case errors.Is(readErr, errNoWorker):
		return readErr
	case waitErr != nil:
		return waitErr
	default:
		return errors.New("it exited")
	}
}

// tell sends a message without waiting for the worker, which may be gone.
func (p *process) tell(w word) {
	go func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		_ = p.words.Encode(w)
	}()
}

// silent reports whether no more ticks will come.
func (p *process) silent() bool { return p.silenced || p.ended != nil || p.gone }

func (p *process) name() string {
	return fmt.Sprintf("worker %d of the load (process %d)", p.number, p.command.Process.Pid)
}

// beginning keeps the first bytes written to it.
type beginning struct{ text bytes.Buffer }

func (b *beginning) Write(p []byte) (int, error) {
	b.text.Write(p[:min(len(p), complaints-b.text.Len())])
	return len(p), nil
}
