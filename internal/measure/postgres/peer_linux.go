package postgres

import (
	"fmt"
	"net"
	"os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// peersAreKnown returns an error if the kernel does not identify the peer of a socket.
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
		return "", fmt.Errorf("identify the user who runs the server: %w", err)
	}
	id := strconv.FormatUint(uint64(peer.Uid), 10)
	who, err := user.LookupId(id)
	if err != nil {
		return "user ID " + id, nil
	}
	return who.Username, nil
}

// limitUnanswered sets TCP_USER_TIMEOUT: the connection ends when sent data stays unacknowledged for that long.
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
