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

// InstalledBin as Options.BinDir stands for the server that a package put on this machine.
const InstalledBin = "installed"

// Options say which PostgreSQL to run, and where. The zero value is the default version on a temporary directory.
type Options struct {
	Version  string   // 17, or exactly 17.11; empty: the default, or whatever BinDir holds
	BinDir   string   // the programs of an installed server, or InstalledBin; empty: fetched
	DataDir  string   // an empty or new directory for the data; empty: a temporary one on a disk
	Settings []string // name=value each, as in postgresql.conf
	AllowRAM bool     // take a DataDir that lies in memory
	Keep     bool     // leave the data behind
	// nothing is measured of the disk, nor kept: what initdb made need not get there, and the server stops without a
	// checkpoint
	Unsynced   bool
	OwnDevice  int64  // bytes of a block device that is made for the data alone, by root on Linux; 0: none
	Repository string // where binaries are fetched from; empty: where they are published
	CacheDir   string // where fetched binaries are kept; empty: the user's cache

	// Notify is called with each stage before the server is ready, from one goroutine. Nil is allowed.
	Notify func(stage string) `json:"-"`
}

func (o Options) notify(stage string) {
	if o.Notify != nil {
		o.Notify(stage)
	}
}

// checked returns the options with their paths made absolute, or what is wrong with them.
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
		return setting{}, fmt.Errorf("setting %s: a value is one line", s.name)
	case s.ours():
		return setting{}, fmt.Errorf("setting %s: realiops sets it itself", s.name)
	}
	return s, nil
}

// ours reports whether realiops needs a parameter to control the server.
func (s setting) ours() bool {
	switch strings.ToLower(s.name) {
	case "port", "listen_addresses", "unix_socket_directories", "data_directory", "config_file", "hba_file",
		"ident_file",
		"logging_collector", "log_destination":
		return true
	}
	return false
}

// line returns the setting as postgresql.conf wants it.
func (s setting) line() string {
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s.value)
	return fmt.Sprintf("%s = '%s'\n", s.name, quoted)
}

// defaults returns what every server here is started with. They come before the user's own settings, which win.
func defaults() []setting {
	return []setting{
		{"fsync", "on"},
		{"full_page_writes", "on"},
		{"synchronous_commit", "on"},
		{"max_connections", "200"},
		// A server that crashed would come back with its counters at zero; here it stays down and the cause is told.
		{"restart_after_crash", "off"},
	}
}

var errNoVersion = errors.New("cannot tell its version")

// versionOf is 17.11 in "postgres (PostgreSQL) 17.11 (Debian 17.11-1)".
func versionOf(answer string) (string, error) {
	_, rest, _ := strings.Cut(answer, "(PostgreSQL) ")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return "", errNoVersion
	}
	return fields[0], nil
}
