package attribution

import "fmt"

// warnings are those about the run as a whole.
func (j *judge) warnings() []Warning {
	var all []Warning
	if n := len(j.arms); n < enoughArms {
		all = append(all, Warning{"few-arms", fmt.Sprintf("Only %d loaded arms were measured: most drivers cannot be told apart", n)})
	}
	if j.run.Idle.Replicates == 0 {
		all = append(all, Warning{"no-idle", "No idle arm was measured, so that what happens without load is billed to it"})
	}
	for _, n := range j.run.Notes {
		all = append(all, Warning{n.Code, n.Text})
	}
	return all
}

// enoughArms are what it takes to part most drivers.
const enoughArms = 5
