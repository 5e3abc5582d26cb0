package probe

import "context"

// Turn is a mutex, for example for a session, whose waiting callers give up when their context ends.
type Turn chan struct{}

// NewTurn returns a free Turn.
func NewTurn() Turn {
	t := make(Turn, 1)
	t <- struct{}{}
	return t
}

// Take waits for the turn. It fails if the context has ended, even if the turn is free.
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

// Release returns the turn after a successful Take.
func (t Turn) Release() { t <- struct{}{} }
