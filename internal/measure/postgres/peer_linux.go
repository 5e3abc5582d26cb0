package postgres

import (
	"fmt"
	"net"
	"os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// peersAreKnown reports whether the kernel says who is at the other end of a socket.
func peersAreKnown() error { return nil }

func peerOf(conn net.Conn) (string, error) {
	socket, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return "", err
	}
	var peer *unix.Ucred
	var failed error
	err = socket.Control(func(fd uintptr) {
		peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return "", fmt.Errorf("ask who runs the server: %w", err)
	}
	id := strconv.FormatUint(uint64(peer.Uid), 10)
	who, err := user.LookupId(id)
	if err != nil {
		return "the user number " + id, nil
	}
	return who.Username, nil
}

// limitUnanswered ends a connection whose peer has acknowledged nothing for that many milliseconds.
func limitUnanswered(d *net.Dialer, milliseconds int) error {
	d.Control = func(network, _ string, c syscall.RawConn) (err error) {
		if network == "unix" {
			return nil
		}
		if controlled := c.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, milliseconds)
		}); controlled != nil {
			return controlled
		}
		return err
	}
	return nil
}
