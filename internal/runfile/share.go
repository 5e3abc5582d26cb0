package runfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Anonymizer removes from records what identifies their owner: names, addresses, statements, identifiers, and free text
// that may hold them. A name has the same stand-in throughout a run. The zero value is ready to use.
type Anonymizer struct {
	names map[string]string // stand-ins, by kind and name
	count map[string]int    // of each kind
	Taken map[string]int    // how often each kind of thing was removed
}

// Of returns the anonymized record; false if nothing would be left of it.
func (a *Anonymizer) Of(r Record) (Record, bool) {
	switch r := r.(type) {
	case Run:
		return a.run(r), true
	case Metric:
		r.Name = a.metric(r.Name)
		return r, true
	case Gap:
		r.Metric, r.Probe, r.Detail = a.metric(r.Metric), a.probe(r.Probe), a.drop("free text", r.Detail)
		return r, true
	case LoadEvent:
		return a.event(r), true
	case Reading:
		r.Probe, r.Values = a.probe(r.Probe), a.values(r.Values)
		return r, true
	case Work:
		r.Load = a.loadName(r.Load)
		return r, true
	case Proof:
		r.Load, r.Counter, r.Missing = a.loadName(r.Load), a.metric(r.Counter), a.drop("free text", r.Missing)
		return r, true
	case Period:
		r.Metric, r.Probe, r.Dimensions = a.metric(r.Metric), a.probe(r.Probe), a.dimensions(r.Dimensions)
		return r, true
	case Total:
		r.Load, r.Probe, r.Values = a.loadName(r.Load), a.probe(r.Probe), a.values(r.Values)
		return r, true
	case Origin:
		r.Load, r.Probe = a.loadName(r.Load), a.probe(r.Probe)
		return r, true // it is published
	case Top:
		return a.top(r), true
	case WAL:
		return a.wal(r), true
	case SettingChange:
		return r, sharedSetting(r.Setting)
	case Ended:
		r.Cause = a.drop("free text", r.Cause)
		return r, true
	default:
		return nil, false // unknown kind
	}
}

// sharedParameters returns the flags of a run that do not identify where it was made.
func sharedParameters() []string {
	return []string{
		"aws", "quick-aws", "budget", "clients", "interval", "jobs", "load-seconds", "pg-version", "repetitions",
		"rows-per-tx", "seed", "shared",
	}
}

func sharedSetting(name string) bool {
	return !strings.Contains(name, "tablespace") && !strings.Contains(name, "name") &&
		!strings.Contains(name, "director")
}

func (a *Anonymizer) run(r Run) Run {
	if id := sharedID(r.ID); id != r.ID {
		r.ID = id
		a.took("names of a run")
	}
	r.Parameters = maps.Clone(r.Parameters)
	maps.DeleteFunc(r.Parameters, func(flag, value string) bool {
		return !slices.Contains(sharedParameters(), flag) && a.drop("flags", value) == ""
	})
	r.Target, r.Host.Kernel = a.target(r.Target), a.drop("the kernel's build", r.Host.Kernel)
	r.Plan.Name = a.plan(r.Plan.Name)
	r.Plan.Loads = slices.Clone(r.Plan.Loads)
	for i := range r.Plan.Loads {
		r.Plan.Loads[i] = a.load(r.Plan.Loads[i])
	}
	if r.Baseline != nil {
		b := *r.Baseline
		b.Set = a.plan(b.Set)
		r.Baseline = &b
	}
	if r.Operation != nil {
		o := *r.Operation
		o.Text = a.stand("operation", o.Text)
		r.Operation = &o
	}
	return r
}

func (a *Anonymizer) target(t Target) Target {
	t.Host, t.Database, t.User = a.drop("addresses", t.Host), a.drop("names of databases and users", t.Database),
		a.drop("names of databases and users", t.User)
	t.Image, t.SystemIdentifier, t.Port = a.drop("addresses", t.Image), a.drop("identifiers", t.SystemIdentifier), 0
	t.Settings = maps.Clone(t.Settings)
	maps.DeleteFunc(t.Settings, func(name, value string) bool {
		return !sharedSetting(name) && a.drop("settings that are names", value) == ""
	})
	t.Storage = a.storage(t.Storage)
	if t.Cloud != nil {
		t.Cloud = a.cloud(*t.Cloud)
	}
	return t
}

func (a *Anonymizer) storage(s Storage) Storage {
	s.Directory, s.Device = a.drop("directories", s.Directory), a.drop("names of devices", s.Device)
	for _, u := range s.Unseen {
		a.drop("directories", u)
	}
	for _, names := range s.Tablespaces {
		for _, name := range names {
			a.drop("names of tablespaces", name)
		}
	}
	s.Unseen, s.Tablespaces, s.Devices = nil, nil, slices.Clone(s.Devices)
	for i, d := range s.Devices {
		for _, mounted := range d.Carries {
			a.drop("directories", mounted)
		}
		a.drop("directories", d.Backing)
		s.Devices[i] = StorageDevice{Name: a.stand("disk", d.Name), Holds: d.Holds, Cached: d.Cached}
	}
	return s
}

func (a *Anonymizer) cloud(c Cloud) *Cloud {
	c.Instance, c.Cluster, c.Resource = a.stand("instance", c.Instance), a.stand("cluster", c.Cluster),
		a.drop("identifiers", c.Resource)
	c.Machine, c.Volumes = a.stand("machine", c.Machine), slices.Clone(c.Volumes)
	for i, v := range c.Volumes {
		c.Volumes[i] = a.stand("volume", v)
	}
	c.Members = slices.Clone(c.Members)
	for i, m := range c.Members {
		c.Members[i].Instance = a.stand("instance", m.Instance)
	}
	return &c
}

// known returns the loads of our own plans, whose names identify nobody.
func known() []string {
	return []string{
		"idle", "bulk", "bulk-indexed", "copy", "copy-indexed", "single", "async", "multi", "wide", IdleLoad,
		OperationLoad,
		"identify", "published", "cloud", "database",
	}
}

func (a *Anonymizer) loadName(name string) string { return a.unlessKnown("load", name) }

func (a *Anonymizer) plan(name string) string { return a.unlessKnown("plan", name) }

func (a *Anonymizer) unlessKnown(kind, name string) string {
	if slices.Contains(known(), name) {
		return name
	}
	return a.stand(kind, name)
}

func (a *Anonymizer) load(load Load) Load {
	load.Name, load.Like = a.loadName(load.Name), a.loadName(load.Like)
	load.Job, load.But = a.drop("jobs", load.Job), a.drop("free text", load.But)
	return load
}

func (a *Anonymizer) event(e LoadEvent) LoadEvent {
	e.Load, e.Added = a.loadName(e.Load), a.drop("free text", e.Added)
	if e.Failed != "" {
		a.drop("free text", e.Failed)
		e.Failed = "it failed" // the failure itself must stay known
	}
	e.Instance = a.stand("instance", e.Instance)
	if e.Factors != nil {
		e.Factors = new(a.load(*e.Factors))
	}
	if e.Cloud != nil {
		e.Cloud = a.cloud(*e.Cloud)
	}
	if e.Others != nil {
		others := *e.Others
		for _, who := range slices.Concat(others.Who, others.Writing) {
			a.drop("names of databases and users", who)
		}
		for _, who := range []*[]string{&others.Who, &others.Writing} {
			if len(*who) > 0 {
				*who = []string{"somebody"} // that there was somebody stays known
			}
		}
		e.Others = &others
	}
	return e
}

func (a *Anonymizer) metric(name string) string {
	view, column, found := strings.Cut(name, "/")
	if !found {
		return name
	}
	return a.probe(view) + "/" + column
}

// probe replaces the name of an instance, volume or table in the name of a view: cloudwatch.shop-2/WriteIOPS.
func (a *Anonymizer) probe(name string) string {
	for _, begin := range []string{"cloudwatch.", "insights.", "pgstat.tables."} {
		if whose, is := strings.CutPrefix(name, begin); is {
			return begin + a.stand("instance", whose)
		}
	}
	return name
}

func (a *Anonymizer) values(of map[string]float64) map[string]float64 {
	values := make(map[string]float64, len(of))
	for name, value := range of {
		values[a.metric(name)] = value
	}
	return values
}

func (a *Anonymizer) dimensions(of map[string]string) map[string]string {
	if of == nil {
		return nil
	}
	all := map[string]string{}
	for name, value := range of {
		kind := "instance"
		if strings.Contains(name, "Cluster") {
			kind = "cluster"
		}
		all[name] = a.stand(kind, value)
	}
	return all
}

func (a *Anonymizer) top(t Top) Top {
	t.Load, t.Missing, t.Items = a.loadName(t.Load), a.drop("free text", t.Missing), slices.Clone(t.Items)
	kind := strings.TrimSuffix(t.Of, "s")
	if t.Of == Readers {
		kind = "statement" // the same statements
	}
	for i := range t.Items {
		item := &t.Items[i]
		item.Name, item.Text = a.stand(kind, item.Name), a.drop("statements", item.Text)
	}
	return t
}

// stand returns the stand-in of a name, such as instance-1; empty for an empty name.
func (a *Anonymizer) stand(kind, name string) string {
	if name == "" {
		return ""
	}
	if a.names == nil {
		a.names, a.count = map[string]string{}, map[string]int{}
	}
	key := kind + " " + name
	if a.names[key] == "" {
		a.count[kind]++
		a.names[key] = fmt.Sprintf("%s-%d", kind, a.count[kind])
		a.took("names of a " + kind)
	}
	return a.names[key]
}

// drop removes a text; it returns nothing.
func (a *Anonymizer) drop(kind, text string) string {
	if text != "" {
		a.took(kind)
	}
	return ""
}

func (a *Anonymizer) took(kind string) {
	if a.Taken == nil {
		a.Taken = map[string]int{}
	}
	a.Taken[kind]++
}
