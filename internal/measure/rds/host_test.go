package rds_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/rds"
)

func TestParseHost(t *testing.T) {
	check := func(host string, want rds.Host) {
		t.Helper()
		got, ok := rds.ParseHost(host)
		if diff := cmp.Diff(want, got); diff != "" || ok != (want != rds.Host{}) {
			t.Errorf("%s: %v\n%s", host, ok, diff)
		}
	}
	const owner, region = "c9akciq32rgd", "eu-west-1"
	check("db1.c9akciq32rgd.eu-west-1.rds.amazonaws.com", rds.Host{Kind: rds.Instance, Name: "db1", Owner: owner, Region: region})
	check("DB1.c9akciq32rgd.eu-west-1.rds.amazonaws.com.", rds.Host{Kind: rds.Instance, Name: "db1", Owner: owner, Region: region})
	check("shop.cluster-c9akciq32rgd.eu-west-1.rds.amazonaws.com", rds.Host{Kind: rds.Writer, Name: "shop", Owner: owner, Region: region})
	check("shop.cluster-ro-c9akciq32rgd.eu-west-1.rds.amazonaws.com", rds.Host{Kind: rds.Reader, Name: "shop", Owner: owner, Region: region})
	check("night.cluster-custom-c9akciq32rgd.eu-west-1.rds.amazonaws.com", rds.Host{Kind: rds.Custom, Name: "night", Owner: owner, Region: region})
	check("pool.proxy-c9akciq32rgd.eu-west-1.rds.amazonaws.com", rds.Host{Kind: rds.Proxy, Name: "pool", Owner: owner, Region: region})
	check("ro.endpoint.proxy-c9akciq32rgd.eu-west-1.rds.amazonaws.com", rds.Host{Kind: rds.Proxy, Name: "ro", Owner: owner, Region: region})
	check("wide.shardgrp-c9akciq32rgd.eu-west-1.rds.amazonaws.com", rds.Host{Kind: rds.Limitless, Name: "wide", Owner: owner, Region: region})
	check("world.global-c9akciq32rgd.global.rds.amazonaws.com", rds.Host{Kind: rds.Global, Name: "world", Owner: owner})
	check("db1.c9akciq32rgd.rds.cn-north-1.amazonaws.com.cn", rds.Host{Kind: rds.Instance, Name: "db1", Owner: owner, Region: "cn-north-1"})
	check("shop.cluster-c9akciq32rgd.rds.cn-north-1.amazonaws.com.cn", rds.Host{Kind: rds.Writer, Name: "shop", Owner: owner, Region: "cn-north-1"})
	for _, other := range []string{"", "localhost", "db.example.com", "rds.amazonaws.com", "eu-west-1.rds.amazonaws.com",
		"db1.c9akciq32rgd.eu-west-1.rds.amazonaws.com.evil.example", "ec2-1-2-3-4.eu-west-1.compute.amazonaws.com", "10.0.0.1", "/tmp"} {
		check(other, rds.Host{})
	}
}

func TestResolve(t *testing.T) {
	names := map[string]string{
		"db.corp.example":  "shop.cluster-c9akciq32rgd.eu-west-1.rds.amazonaws.com.",
		"web.corp.example": "web-1.corp.example.",
	}
	lookup := func(_ context.Context, host string) (string, error) {
		if name, ok := names[host]; ok {
			return name, nil
		}
		return "", errors.New("asked for " + host)
	}
	check := func(host, name string, ok bool) {
		t.Helper()
		got, _, found := rds.Resolve(t.Context(), host, lookup)
		if found != ok || ok && got != name {
			t.Errorf("%s: %s, %v", host, got, found)
		}
	}
	check("db.corp.example", "shop.cluster-c9akciq32rgd.eu-west-1.rds.amazonaws.com", true)
	check("web.corp.example", "", false)
	check("nobody.corp.example", "", false)
	check("127.0.0.1", "", false)
	check("/tmp", "", false)
	check("localhost", "", false)
	check("db1.c9akciq32rgd.eu-west-1.rds.amazonaws.com", "db1.c9akciq32rgd.eu-west-1.rds.amazonaws.com", true)
}
