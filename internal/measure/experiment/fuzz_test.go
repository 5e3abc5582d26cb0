package experiment

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzPlan: an accepted plan stays within the bounds, has a finite duration, and survives a run file
// unchanged, whatever the input.
func FuzzPlan(f *testing.F) {
	f.Add([]byte(
		`{"loads":[{"name":"idle"},{"name":"bulk","method":"copy","rows_per_tx":100,"clients":2}],"repetitions":1,"load_seconds":3}`), 300.0, 0.0)
	f.Add([]byte(`{"loads":[{"name":"a","method":"insert","synchronous_commit":"off"}],"rest_seconds":1e300}`), 0.0,
		60.0)
	f.Add([]byte(
		`{"loads":[{"name":"a","method":"lookup","cold":true}],"repetitions":1000,"load_seconds":86400,"workers":3,"rest_seconds":-1}`), 1e6, 900.0)
	f.Fuzz(func(t *testing.T, text []byte, budget, period float64) {
		plan, err := parsePlan(text)
		if err != nil {
			return
		}
		plan, err = Complete(plan, DefaultSizes())
		if err != nil {
			return
		}
		const mostBudget, mostPeriod = 1e6, 3600.0
		if !(budget >= 0 && budget <= mostBudget && period >= 0 && period <= mostPeriod) {
			budget, period = 0, 0
		}
		limits := Limits{Budget: time.Duration(budget * float64(time.Second)), Period: period, Pause: DefaultPause()}
		if plan, err = Fit(plan, limits); err != nil {
			return
		}
		if err := validate(plan); err != nil {
			t.Error(err)
		}
		if err := validateLengths(plan); err != nil {
			t.Error(err)
		}
		if d := Duration(plan, limits); d <= 0 {
			t.Errorf("%+v takes %v", plan, d)
		}
		written, err := json.Marshal(plan)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := parsePlan(written); err != nil || !cmp.Equal(back, plan, cmpopts.EquateEmpty()) {
			t.Errorf("%s is read as %+v, %v", written, back, err)
		}
	})
}
