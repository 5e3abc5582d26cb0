package observation

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/realiops/realiops/internal/measure/probe/insights"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/insightstest"
)

// TestDigests: Performance Insights is asked for statements if PostgreSQL does not have them, from the first whole
// minute on, in stretches of a day. A later failure does not replace an answer.
func TestDigests(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	now := noon.Add(10 * time.Second)
	s := insightstest.Start(t, insightstest.Options{Now: func() time.Time { return now }})
	s.Have(insightstest.Metric{Name: "db.load"})
	for hour := range 50 {
		from := noon.Add(time.Duration(hour) * time.Hour)
		s.Tell(insightstest.Point{Metric: "db.load", From: from, To: from.Add(time.Minute), Value: 1,
			Dimensions: map[string]string{
				"db.sql_tokenized.id": "AAA", "db.sql_tokenized.statement": "select 1",
				"db.wait_event_type.name": "IO"}})
	}
	about := func(engine string, on bool) *digests {
		return &digests{aurora: strings.HasPrefix(engine, "aurora"), now: func() time.Time {
			return now
		}, asked: insights.New(aws.Config{
			BaseEndpoint: aws.String(s.URL()), Credentials: credentials.NewStaticCredentialsProvider("AKIA", "secret",
				""), Region: "eu-west-1",
			RetryMaxAttempts: 1,
		}, runfile.Cloud{Instance: "db-1", Resource: "db-ABC", Engine: engine, Insights: on})}
	}
	look := func(d *digests, at time.Time, ranked ...runfile.Record) []runfile.Record {
		now = at
		return d.look(t.Context(), ranked)
	}
	told := runfile.Top{Of: "statements", Items: []runfile.TopItem{{Name: "1"}}}
	unknown := runfile.Top{Of: "statements", Missing: "relation pg_stat_statements does not exist"}
	rds := about("postgres", true)
	for _, at := range []time.Duration{10 * time.Second, 5 * time.Minute} {
		if got := look(rds, noon.Add(at), told); got != nil {
			t.Errorf("asked although PostgreSQL tells: %v", got)
		}
	}
	top := look(rds, noon.Add(2*time.Hour), unknown)[0].(runfile.Top)
	if !top.From.Equal(noon.Add(time.Minute)) || !top.At.Equal(noon.Add(2*time.Hour)) || len(top.Items) != 1 ||
		top.Items[0].Text != "select ?" {
		t.Errorf("%+v", top)
	}
	aurora := about("aurora-postgresql", true)
	if got := look(aurora, noon.Add(10*time.Second), told); got != nil {
		t.Errorf("nothing can be told yet: %v", got)
	}
	whole := look(aurora, noon.Add(25*time.Hour), told)[0].(runfile.Top)
	next := look(aurora, noon.Add(27*time.Hour), told)[0].(runfile.Top)
	if !next.From.Equal(whole.At) || len(next.Items) != 1 {
		t.Errorf("%+v does not go on from %+v", next, whole)
	}
	s.Change(func(o *insightstest.Options) { o.Denied = true })
	if got := look(aurora, noon.Add(28*time.Hour), told); got != nil {
		t.Errorf("%v stands for what is known", got)
	}
	for words, d := range map[string]*digests{"pi:DescribeDimensionKeys": about("aurora-postgresql", true),
		"Performance Insights is off on db-1": about("postgres", false)} {
		look(d, noon, unknown)
		if got := look(d, noon.Add(time.Hour), unknown); len(got) != 1 ||
			!strings.Contains(got[0].(runfile.Top).Missing, words) {
			t.Errorf("%q is not said: %+v", words, got)
		}
	}
}
