package postgres

import (
	"strings"
	"testing"
)

func TestRefuse(t *testing.T) {
	good := Facts{Version: "17.11", VersionNum: 170011}
	check := func(change func(*Facts), allowed Permissions, want string) {
		t.Helper()
		f := good
		change(&f)
		err := f.Refuse(allowed)
		switch {
		case want == "" && err != nil:
			t.Errorf("refused: %v", err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("got %v, want something about %q", err, want)
		}
	}
	check(func(*Facts) {}, Permissions{}, "")
	check(func(f *Facts) { f.Version, f.VersionNum = "12.22", 120022 }, Permissions{true, true}, "PostgreSQL 12.22")
	check(func(f *Facts) { f.VersionNum = 130000 }, Permissions{}, "")
	check(func(f *Facts) { f.Standby, f.ReadOnly = true, true }, Permissions{true, true}, "standby")
	check(func(f *Facts) { f.ReadOnly = true }, Permissions{true, true}, "read-only")
	check(func(f *Facts) { f.Pooler = true }, Permissions{Shared: true}, "--allow-pooler")
	check(func(f *Facts) { f.Pooler = true }, Permissions{Pooler: true}, "")
	check(func(f *Facts) { f.BusySessions = 2 }, Permissions{Pooler: true}, "2 other sessions")
	check(func(f *Facts) { f.BusySessions = 1 }, Permissions{Pooler: true}, "1 other session is at work")
	check(func(f *Facts) { f.BusySessions = 2 }, Permissions{Shared: true}, "")
	converts := func(f *Facts) { f.Settings = map[string]string{"data_checksums": "inprogress-on"} }
	check(converts, Permissions{Pooler: true}, "data_checksums is inprogress-on")
	check(converts, Permissions{Shared: true}, "")
	check(func(f *Facts) { f.Settings = map[string]string{"data_checksums": "on"} }, Permissions{}, "")
	all := Facts{VersionNum: 170011, User: "me", ActsAs: "other", ReadOnly: true, Unconfirmed: true, Pooler: true,
		BusySessions: 1, Settings: map[string]string{"data_checksums": "inprogress-on"}}
	if got := all.Refusals(Permissions{}); len(got) != 6 {
		t.Errorf("%d refusals instead of 6: %v", len(got), got)
	}
}

func TestRefuseClients(t *testing.T) {
	f := Facts{Connections: 20}
	if err := f.RefuseClients(15); err != nil {
		t.Errorf("15 and 5 of our own are 20: %v", err)
	}
	if err := f.RefuseClients(16); err == nil || !strings.Contains(err.Error(), "20 connections left") {
		t.Errorf("16 and 5 of our own are more than 20: %v", err)
	}
	// fewer clients do not help
	if err := (Facts{Connections: 5}).RefuseClients(1); err == nil || strings.Contains(err.Error(), "--clients") {
		t.Errorf("1 and 5 of our own are more than 5: %v", err)
	}
}
