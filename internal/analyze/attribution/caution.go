package attribution

import (
	"github.com/realiops/realiops/internal/analyze/drivers"
)

// cautions are what whoever believes the verdict on a metric should know.
func (j *judge) cautions(v Verdict, m drivers.Metric, y column, rivals []held) []Warning {
	return nil
}
