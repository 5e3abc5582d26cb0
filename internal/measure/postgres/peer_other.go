//go:build !linux

package postgres

import (
	"errors"
	"net"
)

func peersAreKnown() error {
	return errors.New("requirepeer is not supported on this system; connect by TCP with sslmode=verify-full")
}

func peerOf(net.Conn) (string, error) { return "", peersAreKnown() }

func limitUnanswered(*net.Dialer, int) error {
	return errors.New("tcp_user_timeout is not supported on this system; leave it out")
}
