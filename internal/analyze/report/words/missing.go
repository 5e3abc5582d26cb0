package words

import (
	"errors"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

func WhyMissing(err error) *series.Missing {
	if m, ok := errors.AsType[*series.Missing](err); ok {
		return m
	}
	return &series.Missing{Reason: series.Reason(runfile.Failed), Detail: err.Error()}
}

// WhyNot says in one line why something is missing.
func WhyNot(m *series.Missing) string {
	if m == nil {
		return "not recorded"
	}
	return m.Error()
}
