package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNotice: NOTICE has the notice of every module in the program.
func TestNotice(t *testing.T) {
	kept, err := os.ReadFile("../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	var now bytes.Buffer
	if err := notices(&now); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(now.String(), string(kept)); diff != "" {
		t.Errorf("NOTICE is out of date; go run ./scripts/notice >NOTICE writes it anew:\n%s", diff)
	}
	if !strings.Contains(now.String(), "AWS SDK for Go") {
		t.Error("the AWS SDK's notice is not in it")
	}
}

// TestLicenses: every module in the program has a licence that allows distribution.
func TestLicenses(t *testing.T) {
	if err := licenses(io.Discard); err != nil {
		t.Error(err)
	}
}
