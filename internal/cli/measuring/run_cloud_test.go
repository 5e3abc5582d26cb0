package measuring

import (
	"testing"

	"github.com/realiops/realiops/internal/runfile"
)

// Two repetitions of 100 s: the writing load makes 2.07 million writes at 10,333 a second, and the reading one 2.01
// million reads at 10,067, at 0.20 USD a million in us-east-1.
func TestTheBillOfARunHasItsReads(t *testing.T) {
	aurora := runfile.Cloud{Engine: "aurora-postgresql", Region: "us-east-1", Storage: "aurora"}
	writes := runfile.Load{Name: "bulk", Method: "insert-select"}
	plan := runfile.Plan{LoadSeconds: 100, Repetitions: 2, Loads: []runfile.Load{{Name: "idle"}, writes}}
	for _, c := range []struct {
		cloud runfile.Cloud
		loads []runfile.Load
		want  string
	}{
		{aurora, nil, " At the highest pace that was published, of a db.r6i.8xlarge, it makes 2.1 million billed " +
			"writes, for 0.41 USD by the price list of us-east-1; a smaller instance makes fewer."},
		{aurora, []runfile.Load{{Name: "point-cold", Method: "lookup"}}, " At the highest pace that was published, " +
			"of a db.r6i.8xlarge, it makes 2.1 million billed writes and 2.0 million billed reads, for 0.82 USD by " +
			"the price list of us-east-1; a smaller instance makes fewer, and so does one whose buffers hold what is " +
			"read; scans of a table that they do not hold may make more."},
		{runfile.Cloud{Region: "us-east-1"}, nil, " Whether its I/O is billed is unknown: AWS did not name its engine."},
		{runfile.Cloud{Engine: "postgres"}, nil,
			" Its I/O costs nothing beyond the instance and its storage, unless it uses up " +
				"burst credits."},
	} {
		p := plan
		p.Loads = append(p.Loads[:2:2], c.loads...)
		if got := bill(c.cloud, p); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}
