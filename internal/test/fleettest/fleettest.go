// Package fleettest invents fleets.
package fleettest

import (
	"fmt"
	"time"

	"github.com/realiops/realiops/internal/analyze/fleet"
)

// MadeUp returns a fleet with everything that a page can show, and a name that is harmful as markup.
func MadeUp(n int) fleet.Fleet {
	const day = 24 * time.Hour
	begin := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	ends, monthly := begin.Add(40*day), 1062.5
	var all []fleet.Database
	for i := range n {
		d := fleet.Database{Name: fmt.Sprintf("customer-%04d", i), Kind: fleet.RDS, Class: "db.r6g.2xlarge",
			From: begin, To: begin.Add(30 * day), Hours: 720, Known: 700,
			Need: &fleet.Need{WorstHour: fleet.Rate{Requests: float64(i * 7), MiBps: float64(i) / 10}},
			Has: &fleet.Storage{Title: "RDS io1", GiB: 1000, IOPS: 10000, Carries: fleet.Rate{Requests: 10000},
				Monthly: &monthly}}
		switch ends := ends.Add(-time.Duration(i) * time.Hour); {
		case i%5 == 0:
			d.Risk = fleet.Risk{Level: fleet.Ending, Credits: &fleet.Credits{Ends: &ends, Early: &ends}}
		case i%7 == 6:
			d.Risk = fleet.Risk{Level: fleet.Throttled, Uses: 0.97, Hours: i}
		case i == 11:
			d.Risk = fleet.Risk{Level: fleet.Exhausted, Uses: 0.4, Credits: &fleet.Credits{
				Metric: "BurstBalance", Hours: 9}}
		default:
			d.Risk = fleet.Risk{Level: fleet.None, Uses: float64(i) / 2000}
		}
		if i%4 > 0 {
			d.Order = &fleet.Storage{Title: "RDS gp3", GiB: 1000}
			d.Saves = &fleet.Span{Value: float64(i), Lowest: float64(i), Highest: float64(i + 50)}
		}
		for k := range 30 {
			d.Daily = append(d.Daily, float64((k*k*i)%5000))
		}
		all = append(all, d)
	}
	all[7].Name = `<img src=x onerror=alert(1)>`
	return fleet.Ask{}.Rank(all, nil, nil)
}
