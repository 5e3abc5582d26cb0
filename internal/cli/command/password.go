package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// AskPassword asks for a password at the terminal, like psql, if the server wants one and no other source has it. It
// returns "" if none is needed or there is no terminal.
func AskPassword(ctx context.Context, env Env, endpoint *postgres.Endpoint) (string, error) {
	terminal, ok := env.In.(*os.File)
	if !ok || !env.InTerminal || !env.ErrTerminal || env.get("CI") != "" {
		return "", nil
	}
	if needed, err := endpoint.NeedsPassword(ctx); err != nil || !needed {
		return "", err
	}
	return readPassword(ctx, env, terminal, fmt.Sprintf("Password for user %s: ", endpoint.User()))
}

// readPassword reads a line that the terminal does not show, until it is interrupted.
func readPassword(ctx context.Context, env Env, terminal *os.File, prompt string) (string, error) {
	fd := int(terminal.Fd())
	shown, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("read a password: %w", err)
	}
	fmt.Fprint(env.Err, prompt)
	defer fmt.Fprintln(env.Err) // the Enter is not shown either
	type answer struct {
		typed []byte
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		typed, err := term.ReadPassword(fd)
		answered <- answer{typed, err}
	}()
	select {
	case a := <-answered:
		if a.err != nil {
			return "", errors.New("no password was given")
		}
		return string(a.typed), nil
	case <-ctx.Done():
		_ = term.Restore(fd, shown) // the process ends, and the terminal may be gone
		return "", context.Cause(ctx)
	}
}
