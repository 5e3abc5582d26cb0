package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/prometheustest"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// TestLetInByStores: history, fleet and doctor authenticate to a real store behind a proxy that demands a path
// and a tenant, and a token, a password or an AWS signature. Without it, or with a wrong one, they fail, and
// secrets are neither shown nor stored.
func TestLetInByStores(t *testing.T) {
	planted := plantedFleet()
	observation, _, last := prometheustest.Observation(t, observed)
	store := prometheustest.Start(t, append(planted, observation...)...)
	secret := func(name string) string { return "planted-" + name }
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	token, wrong := write("token", secret("token")+"\n"), write("wrong", secret("wrong")+"\n")
	credentials := write("credentials", "[long]\naws_access_key_id=AKIAPLANTED000000000\naws_secret_access_key="+
		secret("key")+
		"\n[session]\naws_access_key_id=ASIAPLANTED000000000\naws_secret_access_key="+secret("key")+
		"\naws_session_token="+secret("session")+
		"\n[wrong]\naws_access_key_id=AKIAPLANTED000000000\naws_secret_access_key="+secret("wrong")+"\n")
	for name, value := range map[string]string{"AWS_SHARED_CREDENTIALS_FILE": credentials,
		"AWS_CONFIG_FILE": os.DevNull, "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_PROFILE": "", "AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_ACCESS_KEY_ID": "",
		"AWS_SECRET_ACCESS_KEY": "", "AWS_SESSION_TOKEN": ""} {
		t.Setenv(name, value)
	}
	const region = "eu-west-1"
	long := &prometheustest.Signature{KeyID: "AKIAPLANTED000000000", Secret: secret("key"), Region: region}
	session := &prometheustest.Signature{KeyID: "ASIAPLANTED000000000", Secret: secret("key"),
		SessionToken: secret("session"), Region: region}
	for name, c := range map[string]struct {
		guard     *prometheustest.Guard
		user      string
		in        []string
		turnedOut [][]string
	}{
		"a tenant and a token": {&prometheustest.Guard{Path: "/prometheus", Tenant: "shop", Token: secret("token")}, "",
			[]string{"--tenant", "shop", "--token-file", token},
			[][]string{{"--token-file", token}, {"--tenant", "shop"}, {"--tenant", "other", "--token-file", token},
				{"--tenant", "shop", "--token-file", wrong}}},
		"a password": {&prometheustest.Guard{User: "me", Password: secret("password")}, "me:" + secret("password") +
			"@", nil, nil},
		"a signature": {&prometheustest.Guard{Path: "/workspaces/ws-1", Signature: long}, "",
			[]string{"--sigv4", "--region", region, "--profile", "long"},
			[][]string{{}, {"--sigv4", "--region", "us-east-1", "--profile", "long"},
				{"--sigv4", "--region", region, "--profile", "wrong"}}},
		"a signature of a session": {&prometheustest.Guard{Path: "/workspaces/ws-1", Tenant: "shop",
			Signature: session}, "", []string{"--tenant", "shop", "--sigv4", "--region", region, "--profile", "session"},
			[][]string{{"--tenant", "shop", "--sigv4", "--region", region, "--profile", "long"}}},
	} {
		t.Run(name, func(t *testing.T) {
			url := strings.Replace(c.guard.Start(t, store), "://", "://"+c.user, 1)
			above, asked := t.TempDir(), map[string][]string{}
			commands := func(code int, flags []string) (all string) {
				t.Helper()
				at := last.Add(time.Second).Format(time.RFC3339)
				for _, command := range [][]string{
					{"history", "--until", at, "--for", "1h", "--server", `instance="db1:9187"`, "--host",
						`instance="db1:9100",device="vda"`, "-o", filepath.Join(above, "one.jsonl")},
					{"doctor", "--until", at, "--for", "1h"},
				} {
					out, said := runs(t, code, append(append(command, "--prometheus", url), flags...)...)
					all += out + said
					asked[command[0]] = c.guard.Paths()
				}
				defer func() { asked["fleet"] = c.guard.Paths() }()
				out, said := runsFleet(t, code,
					append([]string{"--prometheus", url, "--for", "3d", "--dir", filepath.Join(above, "fleet")},
						flags...)...)
				return all + out + said
			}
			for _, flags := range c.turnedOut {
				if said := commands(command.ExitUsage, flags); strings.Contains(said, "planted-") ||
					c.guard.LetIn.Load() > 0 {
					t.Errorf("%v: %d are let in: %s", flags, c.guard.LetIn.Load(), said)
				}
			}
			refused := c.guard.Refused.Load()
			said := commands(command.ExitDone, c.in)
			if c.guard.LetIn.Load() == 0 || c.guard.Refused.Load() > refused {
				t.Errorf("%d are let in, and %d refused", c.guard.LetIn.Load(), c.guard.Refused.Load()-refused)
			}
			for name, paths := range asked {
				allowed := allowedTo(name, func(action string) bool { return strings.HasPrefix(action, "aps:") })
				if diff := cmp.Diff(actionsOfPaths(paths), allowed); diff != "" {
					t.Errorf("%s asks a store, and the policy allows (-calls +policy):\n%s", name, diff)
				}
			}
			said += written(t, above)
			for _, s := range []string{"token", "password", "key", "session", "wrong"} {
				if strings.Contains(said, secret(s)) {
					t.Errorf("the %s is told", s)
				}
			}
		})
	}
	_, said := runs(t, command.ExitUsage, "history", "--prometheus", "http://me:x@127.0.0.1:1", "--sigv4",
		"--region", region)
	if !strings.Contains(said, "--sigv4 replaces a token or password") {
		t.Error(said)
	}
	unsigned := (&prometheustest.Guard{Token: "x"}).Start(t, store)
	if _, said := runs(t, command.ExitUsage, "doctor", "--prometheus", unsigned, "--sigv4", "--region", region,
		"--profile", "long"); !strings.Contains(said, "that these AWS credentials may query it") {
		t.Error(said)
	}
	if _, said := runs(t, command.ExitUsage, "history", "--prometheus", "http://127.0.0.1:1",
		"--sigv4"); !strings.Contains(said, "unknown AWS region") {
		t.Error(said)
	}
}

// written returns the unpacked content of a directory's files.
func written(t *testing.T, dir string) (all string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.HasSuffix(path, ".zst") {
			text = runfiletest.Unpacked(t, text)
		}
		all += string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
