package input

import (
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestOutOfFiles(t *testing.T) {
	socket := func(number syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", number)}
	}
	for _, full := range []error{socket(syscall.EMFILE), socket(syscall.ENFILE),
		&net.DNSError{UnwrapErr: socket(syscall.EMFILE), Name: "db"}} {
		if told := OutOfFiles(full); told == nil || !strings.Contains(told.Error(), "too many open files") {
			t.Errorf("%v: %v", full, told)
		}
	}
	for _, other := range []error{nil, errors.New("too many"), socket(syscall.ECONNREFUSED)} {
		if told := OutOfFiles(other); told != nil {
			t.Errorf("%v: %v", other, told)
		}
	}
}
