package sizing_test

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// asked returns a sizing of a load of the shipped run among all volumes and machines.
func asked(t *testing.T, name string, ask sizing.Ask) sizing.Sizing {
	t.Helper()
	ask.Volumes, ask.Instances = catalog.Volumes(), catalog.Instances()
	ask.Tariff = tariff(t, "us-east-1")
	s, err := sizing.Size(ask, shipped(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func standings(s sizing.Sizing) map[string]sizing.Standing {
	all := map[string]sizing.Standing{}
	for _, o := range s.Options {
		all[o.Volume.Name] = o.Standing
	}
	return all
}

// TestNoHardDiskUnasked: hard disks hardly carry a database, and are proposed only if requested.
func TestNoHardDiskUnasked(t *testing.T) {
	unasked := asked(t, "loads-pg17.jsonl", sizing.Ask{Load: "async", GiB: 2000})
	if got := standings(unasked); got["st1"] != sizing.Unasked || got["sc1"] != sizing.Unasked {
		t.Errorf("st1 %s, sc1 %s", got["st1"], got["sc1"])
	}
	if unasked.Choice == nil || unasked.Choice.Volume.HardDisk {
		t.Errorf("ordered: %+v", unasked.Choice)
	}
	wanted := asked(t, "loads-pg17.jsonl", sizing.Ask{Load: "async", GiB: 2000, HardDisks: true})
	if got := standings(wanted); got["st1"] != sizing.Carries {
		t.Errorf("asked for, st1 %s", got["st1"])
	}
}

// TestUnknownIsNeverFirst: Aurora publishes no limits of its storage, and volumes that the requested machine cannot
// have are unknown, too. Both come after all that is known to carry the need, even if cheaper.
func TestUnknownIsNeverFirst(t *testing.T) {
	check := func(load, instance string, unknown ...string) {
		t.Helper()
		s := asked(t, "loads-pg17.jsonl", sizing.Ask{Load: load, GiB: 100, Instance: instance})
		got := standings(s)
		for _, name := range unknown {
			if got[name] != sizing.Unknown {
				t.Errorf("%s behind %q: %s stands as %s", load, instance, name, got[name])
			}
		}
		past := false
		for _, o := range s.Options {
			if past = past || o.Standing != sizing.Carries; past && o.Standing == sizing.Carries {
				t.Errorf("%s behind %q: %s carries it and stands behind what does not", load, instance, o.Volume.Name)
			}
		}
	}
	check("wide", "", "aurora", "aurora-iopt1")
	check("multi", "db.r6g.large", "aurora", "azure-premium-v2", "google-pd-ssd")
	check("multi", "Standard_DS14_v2", "gp3", "rds-gp3")
}

// TestChoice: the cheapest that carries the need is ordered, and the next of another kind named. Ten times the data get
// the other order, or none, as stated.
func TestChoice(t *testing.T) {
	s := asked(t, "loads-pg17.jsonl", sizing.Ask{Load: "bulk", GiB: 500, Headroom: 20})
	c := s.Choice
	if c == nil || c.If != "" || c.Volume.Name != "gp3" || c.Next == nil || c.Next.Bill.Total < c.Bill.Total ||
		c.Next.Volume.Name == "gp3" {
		t.Fatalf("%+v", c)
	}
	for _, turn := range c.Turns {
		if turn.Option != nil && turn.Option.Volume.Name == "gp3" {
			t.Errorf("at %g times the load and %g times the data it is gp3 again", turn.Load, turn.Data)
		}
	}
}

// TestChoiceWithoutPrices: the order is the same, and its cost unknown.
func TestChoiceWithoutPrices(t *testing.T) {
	ask := sizing.Ask{Load: "bulk", GiB: 500, Volumes: []catalog.Volume{volume(t, "io2"), volume(t, "gp3")},
		Tariff: sizing.Tariff{Region: "xx-none-1"}}
	s, err := sizing.Size(ask, shipped(t, "loads-pg17.jsonl"))
	if err != nil || s.Choice == nil || s.Choice.Bill != nil || s.Choice.NoBill == "" {
		t.Errorf("%+v, %v", s.Choice, err)
	}
}

// TestUnknownMachine: the order is made all the same, and states the condition.
func TestUnknownMachine(t *testing.T) {
	s := asked(t, "loads-pg17.jsonl", sizing.Ask{Load: "bulk", GiB: 500, Instance: "db.r99z.large"})
	if s.Choice == nil || s.Choice.Volume.Name != "rds-gp3" || s.Choice.If != "the limits of the r99z.large are "+
		"unknown" {
		t.Errorf("%+v", s.Choice)
	}
}

// TestClassesAreThoseOfAWS: rows of the EC2 user guide of 2026 that were once refused, under EC2's and RDS's names.
func TestClassesAreThoseOfAWS(t *testing.T) {
	check := func(class string, baseIOPS, baseMB, mostIOPS float64) {
		t.Helper()
		m := instance(t, class)
		if m.BaseIOPS != baseIOPS || m.BaseMB != baseMB || m.MostIOPS != mostIOPS {
			t.Errorf("%+v", m)
		}
		s := asked(t, "loads-pg17.jsonl", sizing.Ask{Load: "async", GiB: 100, Instance: "db." + class})
		if s.Choice == nil || s.Choice.If != "" || s.Choice.Cap == nil {
			t.Errorf("db.%s: %+v", class, s.Choice)
		}
	}
	check("r7g.large", 3600, 78.75, 40000)
	check("r8g.48xlarge", 240000, 5000, 240000)
	check("m7g.4xlarge", 20000, 625, 40000)
	check("m6g.12xlarge", 50000, 1781.25, 50000)
	check("x2gd.12xlarge", 60000, 1781.25, 60000)
	check("c5.2xlarge", 10000, 287.5, 20000)
	check("r5b.24xlarge", 260000, 7500, 260000)
}
