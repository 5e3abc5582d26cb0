package engine

import (
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kernelTimer is an alarm accurate to a few microseconds: it reads a timerfd through the runtime's poller, like a
// socket. Its other system calls never block, so they bypass the scheduler, as those on sockets do.
type kernelTimer struct {
	file  *os.File
	raw   syscall.RawConn
	step  func(fd uintptr) bool
	wait  time.Duration // not yet armed
	rings bool
}

// newAlarm falls back on Go's timers if the kernel has no timerfd.
func newAlarm() alarm {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return newTimer()
	}
	k := &kernelTimer{file: os.NewFile(uintptr(fd), "timer")}
	k.raw, err = k.file.SyscallConn()
	if err != nil || k.file.SetReadDeadline(time.Time{}) != nil {
		k.close()
		return newTimer()
	}
	k.step = k.advance
	return k
}

func (k *kernelTimer) sleep(wait time.Duration) bool {
	k.wait, k.rings = max(wait, 1), false // zero would disarm it
	return k.raw.Read(k.step) == nil && k.rings
}

// advance is called by the poller each time the timer fires, until it returns true.
func (k *kernelTimer) advance(fd uintptr) bool {
	if k.wait > 0 {
		at := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(k.wait))}
		k.wait = 0
		_, _, errno := syscall.RawSyscall6(unix.SYS_TIMERFD_SETTIME, fd, 0, uintptr(unsafe.Pointer(&at)), 0, 0, 0)
		return errno != 0
	}
	var expirations [8]byte
	n, _, errno := syscall.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&expirations)),
		unsafe.Sizeof(expirations))
	k.rings = n == unsafe.Sizeof(expirations)
	return errno != unix.EAGAIN && errno != unix.EINTR
}

func (k *kernelTimer) silence() { _ = k.file.SetReadDeadline(time.Unix(1, 0)) } // cannot fail on an open file
func (k *kernelTimer) close()   { _ = k.file.Close() }
