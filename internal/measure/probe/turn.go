package probe

import "context"

// Turn lets one goroutine after another use what only one can, such as a session; who waits stops waiting when its
// context ends, which a mutex does not let it.
type Turn chan struct{}

// NewTurn returns one that nobody has taken.
func NewTurn() Turn {
	t := make(Turn, 1)
	t <- struct{}{}
	return t
}

// Take waits for the turn. A context that has ended gets none, even if it is free.
func (t Turn) Take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t:
		return nil
	}
}

// Release gives it back, after a Take that returned nil.
func (t Turn) Release() { t <- struct{}{} }
