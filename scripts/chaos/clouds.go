//go:build linux

package main

import (
	"net/http"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/test/accounttest"
)

// clouds are accounts that refuse, fail, hang and send nonsense.
func clouds() []Fault {
	answers := []struct {
		name string
		does accounttest.Fault
		says string
	}{
		{"denies every call", accounttest.Denied(), "does not allow"},
		{"says that the credentials have expired", accounttest.Expired(), "expired"},
		{"throttles every call", accounttest.Throttled(), "still throttling"},
		{"is unavailable", accounttest.Unavailable(), "realiops:"},
		{"answers with a page of a gateway", accounttest.BadGateway(), "realiops:"},
		{"hangs", accounttest.Hung(), "realiops:"},
		{"answers with nothing", empty, "realiops:"}, // asked again, minutes apart, for more
		{"sends to another place", redirected, "realiops:"},
		{"answers without an end", endlessAccount, "longer than 16 MiB"},
		{"fails without an end", failingAccount, "longer than 16 MiB"},
	}
	all := []Fault{
		{Name: "`collect` of a run that was on no database of AWS's", Status: 1, Says: "there is nothing to collect",
			Prepare: collects(head, nil)},
		{Name: "`collect` without credentials", Status: 1, Says: "credentials", Prepare: first(func(p *place) error {
			p.env = []string{"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=", "HOME=" + p.dir,
				"AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null"}
			return nil
		}, collects(onAWS(), nil))},
	}
	for _, a := range answers {
		all = append(all,
			Fault{Name: "`aws collect` from an account that " + a.name, Prepare: collects(onAWS(), a.does), Status: 2,
				Says: a.says, Within: 8 * time.Minute},
		)
		for _, command := range []string{"prices aws", "aws limits", "aws cost --cluster shop"} {
			asks := plain(append(words(command), "--region", "eu-central-1")...)
			all = append(all, Fault{Name: "`" + strings.Join(words(command)[:2], " ") + "` from an account that " +
				a.name, Prepare: behind(a.does, asks), Status: 1, Says: a.says, Within: 2 * time.Minute})
		}
	}
	return in("cloud", append(all, kept()...)...)
}

// onAWS returns the record of a past run on an AWS database.
func onAWS() string {
	begin := time.Now().Add(-4 * time.Hour).UTC().Truncate(time.Hour)
	at := func(after time.Duration) string { return begin.Add(after).Format(time.RFC3339) }
	return `{"kind":"run","schema":"realiops.run/1","id":"x","start":"` + at(0) +
		`","version":"v1","target":{"kind":"dsn","flavor":"rds","version":"17.4","host":"db","port":5432,` +
		`"database":"d","user":"u","storage":{},"cloud":{"provider":"aws","region":"eu-central-1","instance":"shop-1","engine":"postgres"}},` +
		`"host":{"os":"linux","arch":"amd64","cpus":2},"plan":{"loads":[{"name":"bulk","method":"copy","rows_per_tx":1000,"clients":1}],"repetitions":1,"load_seconds":1200,"seed":1}}
{"kind":"metric","name":"cloudwatch/WriteIOPS","unit":"operations","type":"rate","period":60}
{"kind":"load","at":"` + at(0) + `","load":"bulk","repetition":1,"event":"begin"}
{"kind":"work","from":"` + at(0) + `","to":"` + at(20*time.Minute) + `","load":"bulk","repetition":1,"transactions":10,"statements":10,"rows":10000}
{"kind":"load","at":"` + at(20*time.Minute) + `","load":"bulk","repetition":1,"event":"end"}
{"kind":"end","at":"` + at(21*time.Minute) + `","status":"complete"}
`
}

// behind returns an account with the same fault in all calls.
func behind(does accounttest.Fault, then prepare) prepare {
	return first(func(p *place) error {
		if does == nil {
			return nil
		}
		url := p.serve(func(w http.ResponseWriter, r *http.Request) { does(w, r, http.NotFoundHandler()) })
		p.env = []string{
			"AWS_ENDPOINT_URL=" + url, "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret",
			"AWS_REGION=eu-central-1",
			"AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null",
		}
		return nil
	}, then)
}

// collects prepares aws collect on a record.
func collects(record string, does accounttest.Fault) prepare {
	return behind(does, first(func(p *place) error {
		p.grows = "file"
		return nil
	}, file(record, "aws", "collect", "%", "--progress", "none")))
}

func empty(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(http.StatusOK) }

func redirected(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	http.Redirect(w, r, "/elsewhere", http.StatusFound)
}
