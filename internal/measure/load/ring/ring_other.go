//go:build !linux

package ring

import (
	"errors"
	"syscall"
	"time"
)

// Ring exists only on Linux.
type Ring struct{}

// Open returns an error: there is no ring.
func Open([]syscall.RawConn) (*Ring, error) { return nil, errors.ErrUnsupported }

// Seat exists only on Linux.
func (r *Ring) Seat(int) *Seat { return nil }

// Run exists only on Linux.
func (r *Ring) Run(func(int)) {}

// Close exists only on Linux.
func (r *Ring) Close() {}

// Seat exists only on Linux.
type Seat struct{}

func (*Seat) Exchange(_, _ []byte) (int, error) { return 0, errors.ErrUnsupported }
func (*Seat) AwaitSent()                        {}
func (*Seat) Write([]byte) (int, error)         { return 0, errors.ErrUnsupported }
func (*Seat) Abandon()                          {}
func (*Seat) Close() error                      { return nil }
func (*Seat) Sleep(time.Duration) bool          { return false }
func (*Seat) Silence()                          {}
