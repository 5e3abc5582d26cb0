package block

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// processView is the prefix of the processes' metrics.
const processView = Name + ".process/"

func processMetrics() []runfile.Metric { return metric.All().View(Name + ".process").Announced() }

// processes are a server's postmaster, whose account takes over its ended children's figures, and its children.
type processes struct {
	host       host
	fs         procfs.FS
	data       string
	postmaster int
	open       map[int]*os.File // their /proc/PID/io files, by PID
}

// mostOpen is how many files are kept open. Others are opened for each reading.
const mostOpen = 500

var (
	errUnrest = &probe.Error{Reason: runfile.Late, Err: errors.New(
		"the server's processes start and end faster than they can be read")}
)

// hiddenProcesses returns the error of a user who may not see the server's processes.
func hiddenProcesses() error {
	return &probe.Error{Reason: runfile.Permission,
		Err: errors.New("this user may not see the I/O of the server's processes" + probe.Lacking(probe.SysPtrace))}
}

// processesIn finds the server of a data directory by that directory, even in a container.
func (h host) processesIn(data string) (*processes, error) {
	proc, err := procfs.NewFS(h.proc)
	if err != nil {
		return nil, fmt.Errorf("look for the server's processes: %w", err)
	}
	p := &processes{host: h, fs: proc, data: data, open: map[int]*os.File{}}
	return p, p.find()
}

// find looks for the directory's PostgreSQL process whose parent is none.
func (p *processes) find() error {
	all, err := p.fs.AllProcs()
	if err != nil {
		return fmt.Errorf("look for the server's processes: %w", err)
	}
	parents, hidden := map[int]int{}, false
	for _, process := range all {
		stat, err := process.Stat()
		if err != nil || !isServerName(stat.Comm) {
			continue
		}
		link := filepath.Join(p.host.proc, strconv.Itoa(process.PID), "cwd")
		if _, err := os.Stat(link); errors.Is(err, fs.ErrPermission) {
			hidden = true
		}
		if layout.Same(link, p.data) {
			parents[process.PID] = stat.PPID
		}
	}
	for pid, parent := range parents {
		if _, child := parents[parent]; !child {
			p.postmaster = pid
			return nil
		}
	}
	if hidden {
		return hiddenProcesses()
	}
	return notLocal("no PostgreSQL process has the working directory %s", p.data)
}

// isServerName reports whether packages give the server's program that name.
func isServerName(name string) bool {
	return strings.Contains(name, "postgres") || strings.Contains(name, "postmaster")
}

// read adds up all processes at one moment. An ended child's figures move to the postmaster, so if the postmaster's
// own stand still, nothing is missed or counted twice.
func (p *processes) read() (map[string]float64, error) {
	const attempts = 6 // in 63 ms
	for attempt := range attempts {
		before, err := p.of(p.postmaster)
		if err != nil {
			return nil, p.lost(err)
		}
		sum, err := p.children()
		if err != nil {
			return nil, p.lost(err)
		}
		if after, err := p.of(p.postmaster); err == nil && after == before {
			return sum.plus(before).values(), nil
		}
		time.Sleep(time.Millisecond << attempt)
	}
	return nil, errUnrest
}

func (p *processes) close() {
	for _, file := range p.open {
		_ = file.Close() // it was only read
	}
	clear(p.open)
}

// lost looks for a restarted server, for the next reading.
func (p *processes) lost(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return hiddenProcesses()
	}
	gone := fmt.Errorf("cannot read the server's process %d: %w", p.postmaster, err)
	_ = p.find() // if there is none, the next reading reports it
	return gone
}

// calls counts reads and writes of files and pipes, and their bytes.
type calls struct{ read, reads, written, writes uint64 }

func (c calls) plus(more calls) calls {
	return calls{c.read + more.read, c.reads + more.reads, c.written + more.written, c.writes + more.writes}
}

func (c calls) values() map[string]float64 {
	return map[string]float64{
		processView + "rchar": float64(c.read), processView + "syscr": float64(c.reads),
		processView + "wchar": float64(c.written), processView + "syscw": float64(c.writes),
	}
}

// of reads one process's counts. It keeps the file open, since opening takes longer than reading.
func (p *processes) of(pid int) (calls, error) {
	file, kept := p.open[pid]
	if !kept {
		var err error
		if file, err = os.Open(filepath.Join(p.host.proc, strconv.Itoa(pid), "io")); err != nil {
			return calls{}, err
		}
		if len(p.open) < mostOpen {
			p.open[pid] = file
		} else {
			defer file.Close()
		}
	}
	var text [512]byte
	n, err := file.ReadAt(text[:], 0)
	if err == nil || errors.Is(err, io.EOF) {
		return callsIn(string(text[:n]))
	}
	_ = file.Close() // it was only read
	delete(p.open, pid)
	if kept {
		return p.of(pid) // another process may have the PID by now
	}
	return calls{}, err
}

// callsIn reads lines such as "rchar: 323934931".
func callsIn(text string) (c calls, err error) {
	of := map[string]*uint64{"rchar:": &c.read, "syscr:": &c.reads, "wchar:": &c.written, "syscw:": &c.writes}
	for line := range strings.Lines(text) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		if to := of[name]; to != nil {
			if *to, err = strconv.ParseUint(number, 10, 64); err != nil {
				return calls{}, fmt.Errorf("read a process's I/O: %w", err)
			}
			delete(of, name)
		}
	}
	if len(of) > 0 {
		return calls{}, fmt.Errorf("read a process's I/O: %d counters are missing", len(of))
	}
	return c, nil
}

// children adds up the postmaster's running children, as the kernel lists them.
func (p *processes) children() (sum calls, err error) {
	pid := strconv.Itoa(p.postmaster)
	list, err := os.ReadFile(filepath.Join(p.host.proc, pid, "task", pid, "children"))
	if err != nil {
		return calls{}, err
	}
	if len(p.open) > len(strings.Fields(string(list)))+1 {
		p.close() // some have ended
	}
	for field := range strings.FieldsSeq(string(list)) {
		child, err := strconv.Atoi(field)
		if err != nil {
			return calls{}, fmt.Errorf("read the children of process %s: %w", pid, err)
		}
		one, err := p.of(child)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ESRCH) { // it has ended meanwhile
			return calls{}, err
		}
		sum = sum.plus(one)
	}
	return sum, nil
}
