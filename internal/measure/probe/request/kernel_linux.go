package request

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// ringBytes is the room for unfetched requests: 70,000, doubled on a machine with many processors.
func ringBytes() uint32 {
	if n, err := ebpf.PossibleCPU(); err == nil && n < 4 {
		return 4 << 20
	}
	return 8 << 20
}

// kernel holds the maps and programs that run in the kernel for as long as this process keeps them open.
type kernel struct {
	askers, events, lost *ebpf.Map
	programs             []*ebpf.Program
	links                []link.Link
	reader               *ringbuf.Reader
	filled               *os.File // polls for events
	bits                 bits
}

// attach loads the programs into the kernel, for the requests of these disks, with a ring of
// that size for unfetched requests.
func attach(disks []uint32, ringBytes uint32) (*kernel, error) {
	spec, err := btf.LoadKernelSpec()
	if err != nil {
		return nil, &probe.Error{Reason: runfile.Unsupported,
			Err: fmt.Errorf("the kernel does not publish its types (/sys/kernel/btf/vmlinux): %w", err)}
	}
	at, err := offsetsIn(spec)
	if err != nil {
		return nil, &probe.Error{Reason: runfile.Unsupported, Err: err}
	}
	k, err := start(at, disks, ringBytes)
	if err != nil && at.file != nil { // its code to read memory may not fit this kernel
		at.file = nil
		k, err = start(at, disks, ringBytes)
	}
	if err != nil {
		return nil, refused(err)
	}
	if err := k.open(); err != nil {
		k.close()
		return nil, fmt.Errorf("open the ring of requests: %w", err)
	}
	return k, nil
}

func (k *kernel) open() (err error) {
	if k.reader, err = ringbuf.NewReader(k.events); err != nil {
		return err
	}
	filled, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	if err := unix.SetNonblock(filled, true); err != nil { // otherwise the runtime would not wait for it
		return errors.Join(err, unix.Close(filled))
	}
	k.filled = os.NewFile(uintptr(filled), "requests")
	return unix.EpollCtl(filled, unix.EPOLL_CTL_ADD, k.events.FD(), &unix.EpollEvent{})
}

// await waits for requests, for that time (0: for ever), or until wake is called.
func (k *kernel) await(within time.Duration) {
	var until time.Time
	if within > 0 {
		until = time.Now().Add(within)
	}
	filled, err := k.filled.SyscallConn()
	if err != nil || k.filled.SetReadDeadline(until) != nil {
		return
	}
	// A one-shot event, so that requests wake nobody while they are fetched anyway. It is armed each time, since a
	// reading may have fetched the ones announced.
	once := &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLONESHOT}
	_ = filled.Read(func(fd uintptr) bool {
		return unix.EpollCtl(int(fd), unix.EPOLL_CTL_MOD, k.events.FD(), once) != nil || k.reader.AvailableBytes() > 0
	})
}

// wake ends await, now and in future.
func (k *kernel) wake() { _ = k.filled.Close() }

func start(at offsets, disks []uint32, ringBytes uint32) (_ *kernel, err error) {
	k := &kernel{bits: at.bits}
	defer func() {
		if err != nil {
			k.close()
		}
	}()
	if err := k.makeMaps(ringBytes); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		tracepoint string
		program    asm.Instructions
	}{{"block_bio_queue", noteAsker(at, disks, k.askers)},
		{"block_rq_complete", tellRequest(at, disks, k.askers, k.events, k.lost)}} {
		if err := k.load(p.tracepoint, p.program); err != nil {
			return nil, err
		}
	}
	return k, nil
}

func (k *kernel) makeMaps(ringBytes uint32) (err error) {
	for _, m := range []struct {
		into **ebpf.Map
		spec ebpf.MapSpec
	}{
		{&k.askers, ebpf.MapSpec{Name: "realiops_asker", Type: ebpf.Array, KeySize: 4, ValueSize: 2 * slotSize,
			MaxEntries: 1 << pairBits}},
		{&k.events, ebpf.MapSpec{Name: "realiops_event", Type: ebpf.RingBuf, MaxEntries: ringBytes}},
		{&k.lost, ebpf.MapSpec{Name: "realiops_lost", Type: ebpf.Array, KeySize: 4, ValueSize: 8, MaxEntries: 1}},
	} {
		if *m.into, err = ebpf.NewMap(&m.spec); err != nil {
			return err
		}
	}
	return nil
}

func (k *kernel) load(tracepoint string, instructions asm.Instructions) error {
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "realiops", Type: ebpf.Tracing, AttachType: ebpf.AttachTraceRawTp, AttachTo: tracepoint,
		Instructions: instructions, License: "Dual MIT/GPL", // some kernel functions require this
	})
	if err != nil {
		return err
	}
	k.programs = append(k.programs, p)
	l, err := link.AttachTracing(link.TracingOptions{Program: p})
	if err != nil {
		return err
	}
	k.links = append(k.links, l)
	return nil
}

// refused says why the kernel rejects a program, with the command that would allow it, if any.
func refused(err error) error {
	switch {
	case !errors.Is(err, fs.ErrPermission):
		return &probe.Error{Reason: runfile.Unsupported,
			Err: fmt.Errorf("the kernel rejects the program that traces requests: %w", err)}
	case os.Geteuid() == 0:
		return &probe.Error{Reason: runfile.Disabled,
			Err: errors.New("tracing requests needs a program in the kernel, and not even root may load one here; this is a " +
				"container without CAP_BPF and CAP_PERFMON, or the kernel is locked down (/sys/kernel/security/lockdown)")}
	}
	return &probe.Error{Reason: runfile.Permission, Err: fmt.Errorf(
		"only root, and programs that may load others into the kernel, can trace requests%s",
		probe.Lacking(probe.BPF, probe.Perfmon))}
}

// lostEvents returns the number of requests that were not fetched in time.
func (k *kernel) lostEvents() (n uint64, err error) { return n, k.lost.Lookup(uint32(0), &n) }

func (k *kernel) close() {
	if k.filled != nil {
		k.wake()
	}
	if k.reader != nil {
		_ = k.reader.Close() // its data is useless by now
	}
	for _, l := range k.links {
		_ = l.Close()
	}
	for _, p := range k.programs {
		_ = p.Close()
	}
	for _, m := range []*ebpf.Map{k.askers, k.events, k.lost} {
		_ = m.Close() // nil is closed already
	}
}
