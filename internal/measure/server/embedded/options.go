package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// InstalledBin as Options.BinDir means the server that a package installed on this machine.
const InstalledBin = "installed"

// Options say which PostgreSQL to run, and where. The zero value is the default version in a temporary directory.
type Options struct {
	Version  string   // 17, or exactly 17.11; empty: the default, or BinDir's
	BinDir   string   // the programs of an installed server, or InstalledBin; empty: fetched
	DataDir  string   // a new or empty directory for the data; empty: a temporary one
	Settings []string // name=value each, as in postgresql.conf
	AllowRAM bool     // accept a DataDir in memory
	Keep     bool     // leave the data behind
	// Unsynced says that neither the disk is measured nor the data kept: initdb need not sync, and the
	// server stops without a checkpoint.
	Unsynced   bool
	OwnDevice  int64  // size of a block device made for the data alone, by root on Linux; 0: none
	Repository string // the source of binaries; empty: where they are published
	CacheDir   string // for fetched binaries; empty: the user's cache

	// Notify is called with each stage before the server is ready, from one goroutine. Nil is allowed.
	Notify func(stage string) `json:"-"`
}

func (o Options) notify(stage string) {
	if o.Notify != nil {
		o.Notify(stage)
	}
}

// checked returns the options with absolute paths, or an error.
func (o Options) checked() (Options, error) {
	if err := o.checkDevice(runtime.GOOS, os.Geteuid()); err != nil {
		return o, err
	}
	if _, err := o.settings(); err != nil {
		return o, err
	}
	paths := []*string{&o.DataDir, &o.CacheDir}
	if o.BinDir != InstalledBin {
		paths = append(paths, &o.BinDir)
	}
	for _, path := range paths {
		if *path == "" {
			continue
		}
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return o, err
		}
		*path = absolute
	}
	return o, nil
}

func (o Options) settings() ([]setting, error) {
	all := make([]setting, len(o.Settings))
	for i, text := range o.Settings {
		var err error
		if all[i], err = parseSetting(text); err != nil {
			return nil, err
		}
	}
	return all, nil
}

type setting struct{ name, value string }

var settingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)*$`)

func parseSetting(text string) (setting, error) {
	name, value, found := strings.Cut(text, "=")
	s := setting{strings.TrimSpace(name), strings.TrimSpace(value)}
	switch {
	case !found || !settingName.MatchString(s.name):
		return setting{}, fmt.Errorf("setting %q: want name=value", text)
	case strings.ContainsAny(value, "\n\r\x00"):
		return setting{}, fmt.Errorf("setting %s: the value must be one line", s.name)
	case s.ours():
		return setting{}, fmt.Errorf("setting %s is reserved for realiops", s.name)
	}
	return s, nil
}

// ours reports whether realiops sets the parameter to control the server.
func (s setting) ours() bool {
	switch strings.ToLower(s.name) {
	case "port", "listen_addresses", "unix_socket_directories", "data_directory", "config_file", "hba_file",
		"ident_file",
		"logging_collector", "log_destination":
		return true
	}
	return false
}

func (s setting) line() string {
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s.value)
	return fmt.Sprintf("%s = '%s'\n", s.name, quoted)
}

// defaults returns the settings of every server here. The user's own come later and win.
func defaults() []setting {
	return []setting{
		{"fsync", "on"},
		{"full_page_writes", "on"},
		{"synchronous_commit", "on"},
		{"max_connections", "200"},
		// A crashed server stays down and the cause is reported: after a restart its counters would be zero.
		{"restart_after_crash", "off"},
	}
}

var errNoVersion = errors.New("no version in its output")

// versionOf returns 17.11 for "postgres (PostgreSQL) 17.11 (Debian 17.11-1)".
func versionOf(answer string) (string, error) {
	_, rest, _ := strings.Cut(answer, "(PostgreSQL) ")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return "", errNoVersion
	}
	return fields[0], nil
}
