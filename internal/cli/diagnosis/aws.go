package diagnosis

import (
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/realiops/realiops/internal/runfile"
)

// AWS is what AWS says of a server of its own. What it knows of the database is in the target.
type AWS struct {
	Region  string         `json:"region,omitempty"`
	Trouble string         `json:"trouble,omitempty"` // why AWS does not say which database it is
	Calls   []Call         `json:"calls"`
	Clock   *runfile.Clock `json:"clock,omitempty"`           // of AWS, beside ours
	Ends    *time.Time     `json:"credentials_end,omitempty"` // not there where they do not end
	Asked   string         `json:"asked,omitempty"`           // what the diagnosis asked AWS, and what that costs
}

// Call is a call that a run makes, and whether AWS allows it.
type Call struct {
	Action  string `json:"action"`
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason,omitempty"` // why not: denied, no-credentials, throttled, …; unasked where it was not made
	Detail  string `json:"detail,omitempty"`
}

// Unasked is the reason of a call that was not made, because nothing would come of it here.
const Unasked = "unasked"

// Silent tells whether AWS does not say what a run would ask it.
func (a AWS) Silent() bool {
	return a.Trouble != "" || slices.ContainsFunc(a.Calls, func(c Call) bool { return !c.Allowed && c.Reason != Unasked })
}

// aws lists the calls. It stands before what PostgreSQL lets one read, because nothing there replaces it.
func (p *page) aws(a *AWS, t runfile.Target) {
	if a == nil {
		return
	}
	p.blank()
	switch {
	case a.Trouble != "":
		p.paragraph("", "AWS does not say which of its databases this is: "+a.Trouble+".")
	case t.Cloud != nil:
		p.paragraph("", "AWS knows it as "+cloudName(*t.Cloud)+".")
	}
	if len(a.Calls) > 0 {
		p.paragraph("", "Calls that a run makes:")
	}
	for _, c := range a.Calls {
		said := "allowed"
		if !c.Allowed {
			said = c.Detail
		}
		if a.Trouble != "" && c.Detail == a.Trouble {
			said = "not answered"
		}
		p.paragraph(text.Pad("  "+c.Action, callColumn, ' '), said)
	}
	if a.Asked != "" {
		p.paragraph("", a.Asked)
	}
}

// callColumn is as wide as the longest name of a call, with two spaces.
const callColumn = 36

func cloudName(c runfile.Cloud) string {
	if c.Instance == "" {
		return "a server on " + strings.TrimSuffix(strings.Join(append(slices.Clone(c.Volumes), c.Machine), ", "), ", ") + " in " + c.Region
	}
	name := "the instance " + c.Instance
	if c.Cluster != "" {
		name = strings.TrimSpace("the " + c.Role + " " + c.Instance + " of the cluster " + c.Cluster)
	}
	return name + " in " + c.Region + ": " + c.Engine + " " + c.Version + " on " + c.Class + ", storage " + c.Storage
}
