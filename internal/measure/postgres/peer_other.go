//go:build !linux

package postgres

import (
	"errors"
	"net"
)

func peersAreKnown() error {
	return errors.New("requirepeer cannot be obeyed on this system: connect by TCP with sslmode=verify-full")
}

func peerOf(net.Conn) (string, error) { return "", peersAreKnown() }

func limitUnanswered(*net.Dialer, int) error {
	return errors.New("tcp_user_timeout cannot be obeyed on this system: leave it out")
}
