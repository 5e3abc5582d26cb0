package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const version = "1.2.3"

// TestRelease builds for Linux on the architecture of the tests, and uses the results as users do.
func TestRelease(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	r, err := read(root, version)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.documents(t.Context()); err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	here := target{"linux", "amd64"}
	program := here.program(directory)
	if err := r.build(t.Context(), here, program); err != nil {
		t.Fatal(err)
	}
	t.Run("twice", func(t *testing.T) { twice(t, r, here, program) })
	t.Run("materials", func(t *testing.T) { materials(t, root, directory) })
	t.Run("deb", func(t *testing.T) { debian(t, r, here, program, directory) })
	t.Run("image", func(t *testing.T) { image(t, root, directory) })
	t.Run("trial", func(t *testing.T) { tried(t, r, here, program) })
	t.Run("installer", func(t *testing.T) { installer(t, root, program) })
}

// twice builds from a copy of the source in another place: the program shows neither the place nor the time.
func twice(t *testing.T, r release, here target, program string) {
	r.root = t.TempDir()
	for _, part := range []string{"cmd", "internal"} {
		if err := os.CopyFS(filepath.Join(r.root, part), os.DirFS(filepath.Join("../..", part))); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.root, file), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	again := filepath.Join(r.root, "again")
	if err := r.build(t.Context(), here, again); err != nil {
		t.Fatal(err)
	}
	if sum(t, program) != sum(t, again) {
		t.Error("the same source, built in two places, gave two programs")
	}
	lean(t, program)
}

// most is the largest size of a program in bytes. Calling methods by names made up at run time makes the linker keep
// every method of every type, and the program grow by a third.
const most = 45_000_000

func lean(t *testing.T, program string) {
	t.Helper()
	if built, err := os.Stat(program); err != nil || built.Size() > most {
		t.Errorf("the program has %d bytes, want %d at most (%v): `go build -ldflags=-dumpdep` shows what is "+
			"marked ReflectMethod", built.Size(), most, err)
	}
}

func sum(t *testing.T, path string) string {
	t.Helper()
	bytes, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(bytes))
}

// materials are listed as goreleaser asks: from another directory, by names in it.
func materials(t *testing.T, root, directory string) {
	said := sh(t, `cd "$1" && "$2"/packaging/sbom linux/amd64/realiops list.json &&
		jq -r '.components[].name, .metadata.timestamp, .serialNumber' list.json`, directory, root)
	if !strings.Contains(said, "github.com/jackc/pgx/v5\n") || !strings.HasSuffix(said, "\nnull\nnull\n") {
		t.Errorf("it says\n%s", said)
	}
}

// debian installs the package, runs its content, and leaves nothing when it is purged.
func debian(t *testing.T, r release, here target, program, directory string) {
	if _, err := exec.LookPath("dpkg"); err != nil || os.Geteuid() != 0 {
		t.Skip("this wants root on Debian")
	}
	r.Packages[0]["formats"] = []any{"deb"}
	if err := r.packages(t.Context(), here, program, directory); err != nil {
		t.Fatal(err)
	}
	sh(t, `dpkg -i "$1"/realiops_`+version+`_amd64.deb`, directory)
	t.Cleanup(func() {
		sh(t, "dpkg --purge realiops; ! dpkg -s realiops 2>&1 | grep -q ^Status; ! test -e /usr/bin/realiops")
	})
	if said := sh(t, "/usr/bin/realiops version"); !strings.HasPrefix(said, "realiops "+version+", ") {
		t.Errorf("it says %q", said)
	}
	sh(t, `test -s /usr/share/man/man1/realiops-run.1 && bash -n /usr/share/bash-completion/completions/realiops`)
	sh(t, `cd /usr/share/doc/realiops && grep -q 'Apache License' LICENSE && grep -q 'AWS SDK for Go' NOTICE && grep -q 'github.com/jackc/pgx' licenses.txt`)
	sh(t, `/usr/bin/realiops report ../../testdata/runs/loads-pg17.jsonl | grep -q 'WAL records'`)
}

// base is built by scripts/postgres-image: it has glibc, a shell, and a PostgreSQL.
const base = "realiops/postgres:17-local"

// image builds the image on a base without a registry, and measures in it as a user who is not root.
func image(t *testing.T, root, directory string) {
	if exec.Command("docker", "image", "inspect", base).Run() != nil {
		t.Skip("there is no container engine, or no image " + base)
	}
	const name = "realiops/test:release"
	sh(t, `mkdir -p "$2"/build && cp "$1"/LICENSE "$1"/NOTICE "$2" && cp "$1"/build/licenses.txt "$2"/build`,
		root, directory)
	sh(t, `DOCKER_BUILDKIT=0 docker build -q -f "$1"/packaging/Dockerfile --build-arg BASE=`+base+` -t `+name+` "$2"`,
		root, directory)
	t.Cleanup(func() { sh(t, "docker image rm -f "+name) })
	if err := os.WriteFile(filepath.Join(directory, "plan.json"), []byte(`{"loads": [{"name": "idle"},
		{"name": "mine", "method": "copy", "rows_per_tx": 10, "clients": 2}], "repetitions": 1, "load_seconds": 0.5}`), 0o644); err != nil {
		t.Fatal(err)
	}
	said := sh(t, `docker run --rm -v "$1"/plan.json:/plan.json:ro `+name+
		` run --plan /plan.json --pg-bin /usr/local/pgsql/bin; docker run --rm --entrypoint id `+name, directory)
	if !strings.Contains(said, "WAL records") || !strings.Contains(said, "uid=65532(realiops)") {
		t.Errorf("it says\n%s", said)
	}
}

// installer installs from a release on this machine, and refuses one whose sum is another.
func installer(t *testing.T, root, program string) {
	release := t.TempDir()
	archive := "realiops_" + version + "_linux_amd64.tar.gz"
	sh(t, `cd "$1" && mkdir -p work && cp "$2" work/realiops && cp -r "$3"/build/manual/man "$3"/build/manual/completions work/ &&
		tar -czf `+archive+` -C work . && rm -r work && sha256sum `+archive+` >SHA256SUMS`, release, program, root)
	server := httptest.NewServer(http.StripPrefix("/latest/download", http.FileServer(http.Dir(release))))
	defer server.Close()
	prefix := t.TempDir()
	install := `cd / && REALIOPS_RELEASES="$1" PREFIX="$2" sh "$3"/packaging/install.sh`
	if said := sh(t, install, server.URL, prefix, root); !strings.HasPrefix(said, "Installed realiops "+version) {
		t.Errorf("it says %q", said)
	}
	sh(t, `test -s "$1"/share/man/man1/realiops.1 && test -s "$1"/share/fish/vendor_completions.d/realiops.fish`, prefix)

	sh(t, `echo more >>"$1"/`+archive, release)
	other := t.TempDir()
	sh(t, `! (`+install+`) 2>&1 | grep "is not what SHA256SUMS says" && exit 1; ! test -e "$2"/bin/realiops`,
		server.URL, other, root)
}

// tried has a program run, and none pass that says or does something else.
func tried(t *testing.T, r release, here target, program string) {
	ctx, stop := context.WithCancel(t.Context())
	trial, ended, err := r.startTrial(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		stop()
		if err := ended(); err != nil {
			t.Error(err)
		}
	}()
	if err := trial.try(ctx, r.root, here, program); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{"version": "realiops version says", "report": "realiops report " +
		shipped + " says", "load": "exit status 7"} {
		wrong := filepath.Join(t.TempDir(), "realiops")
		script := "#!/bin/sh\ncase $1 in " + name + ") [ $1 != load ] || exit 7; echo what;; *) exec " + program +
			" \"$@\";; esac\n"
		if err := os.WriteFile(wrong, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := trial.try(ctx, r.root, here, wrong); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a wrong %s: %v", name, err)
		}
	}
}

// sh runs a script with arguments, and gives what it prints.
func sh(t *testing.T, script string, args ...string) string {
	t.Helper()
	c := exec.Command("bash", append([]string{"-ec", script, "test"}, args...)...)
	said, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", script, err, said)
	}
	return string(said)
}
