package pgstat

import (
	"cmp"
	"context"
	"errors"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const (
	notSupported      = "0A000" // Aurora, for pg_stat_wal
	noPrivilege       = "42501"
	undefinedTable    = "42P01"
	undefinedColumn   = "42703"
	undefinedFunction = "42883"
	queryCanceled     = "57014" // by statement_timeout
	lockNotAvailable  = "55P03" // within lock_timeout
	notPrepared       = "55000" // pg_stat_statements is not preloaded
	connectionFailure = "08006" // no server sends it: the connection is lost
)

func reasonOf(code string) runfile.Reason {
	switch code {
	case notSupported, undefinedTable, undefinedColumn, undefinedFunction:
		return runfile.Unsupported
	case noPrivilege:
		return runfile.Permission
	case notPrepared:
		return runfile.Disabled
	case queryCanceled, lockNotAvailable:
		return runfile.Late
	default:
		return runfile.Failed
	}
}

// ErrStandby says that the server is a standby.
var ErrStandby = errors.New("the server is a standby, which writes what its primary sends; observe the primary")

// asError puts the reason why nothing could be read into one line.
func asError(err error) error {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return &probe.Error{Reason: reasonOf(refused.Code), Code: refused.Code, Err: &oneLine{refused.Message, err}}
	}
	if errors.Is(err, ErrStandby) {
		return &oneLine{ErrStandby.Error(), err}
	}
	if network, ok := errors.AsType[*net.OpError](err); ok {
		return &oneLine{noConnection + cmp.Or(input.OutOfFiles(network), network.Err).Error(), err}
	}
	return &oneLine{strings.Join(strings.Fields(err.Error()), " "), err}
}

const noConnection = "no connection to the server: "

// asLoss is asError for a session that has ended. Its code differs from the reason why no new session can be
// opened, which is reported as well.
func asLoss(err error) error {
	said := asError(err)
	if _, known := errors.AsType[*probe.Error](said); known || errors.Is(err, context.DeadlineExceeded) {
		return said
	}
	text := "the connection to the server was lost"
	if why := strings.TrimPrefix(said.Error(), noConnection); why != "conn closed" { // pgx's for the same
		text += ": " + why
	}
	return &probe.Error{Reason: runfile.Failed, Code: connectionFailure, Err: &oneLine{text, err}}
}

// oneLine is an error with another text.
type oneLine struct {
	words string
	err   error
}

func (e *oneLine) Error() string { return e.words }
func (e *oneLine) Unwrap() error { return e.err }
