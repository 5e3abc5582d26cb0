package diagnosis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/runfile"
)

// AWS holds AWS's answers about its server; facts about the database are in the target.
type AWS struct {
	Region  string         `json:"region,omitempty"`
	Trouble string         `json:"trouble,omitempty"` // why AWS does not identify the database
	Calls   []Call         `json:"calls"`
	Clock   *runfile.Clock `json:"clock,omitempty"`           // of AWS, relative to ours
	Ends    *time.Time     `json:"credentials_end,omitempty"` // absent if they do not expire
	Asked   string         `json:"asked,omitempty"`           // the diagnosis's calls, and their cost
}

// Call is a call of a run or an observation, and whether AWS allows it.
type Call struct {
	Action  string `json:"action"`
	Allowed bool   `json:"allowed"`
	// Reason is why not: denied, no-credentials, throttled, …; unasked if it was not made.
	Reason string `json:"reason,omitempty"`
	Detail string `json:"detail,omitempty"`
	Only   string `json:"only,omitempty"` // the only command that makes it; empty: a run does
}

// Unasked is the reason of a call that was not made because it would be useless here.
const Unasked = "unasked"

// Silent reports whether AWS refuses a run's calls.
func (a AWS) Silent() bool {
	return a.Trouble != "" || slices.ContainsFunc(a.Calls, func(c Call) bool {
		return !c.Allowed && c.Reason != Unasked && c.Only == ""
	})
}

// document lists the calls. It precedes PostgreSQL's privileges, because nothing there replaces them.
func (a *AWS) document(t runfile.Target) document.Block {
	if a == nil {
		return nil
	}
	var all document.Together
	switch {
	case a.Trouble != "":
		all = append(all,
			document.Paragraph{Text: ended("AWS does not say which of its databases this is: " + a.Trouble)})
	case t.Cloud != nil:
		all = append(all, document.Paragraph{Text: "AWS knows it as " + cloudName(*t.Cloud) + "."})
		if text := insightsOf(*t.Cloud); text != "" {
			all = append(all, document.Paragraph{Text: text})
		}
	}
	var calls document.Terms
	for _, c := range a.Calls {
		answer := c.Detail
		switch {
		case c.Allowed:
			answer = "allowed"
		case a.Trouble != "" && c.Detail == a.Trouble:
			answer = "not answered"
		}
		if c.Only != "" {
			answer += " (only " + c.Only + " makes it)"
		}
		calls = append(calls, document.Term{Name: c.Action, Texts: []string{answer}})
	}
	return append(all, under("Calls that run and observe make:", calls), document.Paragraph{Text: a.Asked})
}

// insightsOf says how long counters are kept, and what the mode of Database Insights leaves out; empty if it is off.
func insightsOf(c runfile.Cloud) string {
	keeps := fmt.Sprintf("counters are kept for %d days, so collect a run within them", max(c.InsightsDays, daysKept))
	switch {
	case !c.Insights:
		return ""
	case c.InsightsMode == "advanced":
		return "Database Insights is in mode Advanced: CloudWatch has its counters too, and " + keeps + "."
	case c.InsightsMode == "standard":
		return "Database Insights is in mode Standard: " + keeps +
			". Its locks and plans, and its counters in CloudWatch, take mode Advanced; no run needs them."
	default:
		return "Performance Insights is on: " + keeps + "."
	}
}

// daysKept is the shortest retention of counters, which is free.
const daysKept = 7

func cloudName(c runfile.Cloud) string {
	if c.Instance == "" {
		return "a server on " + strings.TrimSuffix(strings.Join(append(slices.Clone(c.Volumes), c.Machine), ", "),
			", ") + " in " + c.Region
	}
	name := "the instance " + c.Instance
	if c.Cluster != "" {
		name = strings.TrimSpace("the " + c.Role + " " + c.Instance + " of the cluster " + c.Cluster)
	}
	return name + " in " + c.Region + ": " + c.Engine + " " + c.Version + " on " + c.Class + ", storage " + c.Storage
}
