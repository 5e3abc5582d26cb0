package report

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// SizeMachine is what the class of machine costs beside its storage.
type SizeMachine struct {
	Class    string  `json:"class"`
	Standby  bool    `json:"standby,omitempty"` // two of them, in two zones
	Hourly   float64 `json:"hourly"`
	Monthly  float64 `json:"monthly"`
	Currency string  `json:"currency"`
	Source   string  `json:"source"`
}

func sizeMachines(all []sizing.MachineCost) (machines []SizeMachine) {
	for _, m := range all {
		machines = append(machines, SizeMachine(m))
	}
	return machines
}

// machineLegend says what the machine costs, which is in no price of storage.
func (s Size) machineLegend() string {
	var parts []string
	for _, m := range s.Machines {
		class := m.Class
		if m.Standby {
			class += " with its standby"
		}
		parts = append(parts, fmt.Sprintf("%s %s %s a month (730 h at %s)", class, number.Rate(m.Monthly), m.Currency, number.Significant(m.Hourly, 4)))
	}
	if len(parts) == 0 {
		return ""
	}
	return " The machine comes on top: " + strings.Join(parts, ", ") + "."
}
