package anatomy

import (
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const (
	notSupported      = "0A000"
	noPrivilege       = "42501"
	undefinedObject   = "42704"
	undefinedFunction = "42883"
	invalidSchemaName = "3F000"
	internalError     = "XX000" // up to 15: the same, or there is no complete record
	undefinedFile     = "58P01" // recycled WAL
	queryCanceled     = "57014" // by statement_timeout
	invalidParameter  = "22023" // a position outside the WAL
)

// isRefusal reports whether the server answered with an error.
func isRefusal(err error) (*pgconn.PgError, bool) { return errors.AsType[*pgconn.PgError](err) }

func gap(reason runfile.Reason, code, format string, arguments ...any) error {
	return &probe.Error{Reason: reason, Code: code, Err: fmt.Errorf(format, arguments...)}
}

// asError converts an error of reading to the terms of a gap.
func asError(err error) error {
	if known, ok := errors.AsType[*probe.Error](err); ok {
		return known
	}
	refused, ok := isRefusal(err)
	if !ok {
		return err
	}
	reason := runfile.Failed
	switch refused.Code {
	case noPrivilege:
		reason = runfile.Permission
	case notSupported, undefinedFunction, invalidSchemaName:
		reason = runfile.Unsupported
	case internalError, undefinedFile, queryCanceled, invalidParameter:
		reason = runfile.Late
	}
	return &probe.Error{Reason: reason, Code: refused.Code, Err: errors.New(refused.Message)}
}

// lasts reports whether asking again would get the same answer.
func lasts(err error) bool {
	known, ok := errors.AsType[*probe.Error](err)
	return ok && slices.Contains([]runfile.Reason{runfile.Permission, runfile.Unsupported, runfile.Absent}, known.Reason)
}
