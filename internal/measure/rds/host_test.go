package rds_test

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/dns/dnsmessage"

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
	check("db1.c9akciq32rgd.eu-west-1.rds.amazonaws.com", rds.Host{Kind: rds.Instance, Name: "db1", Owner: owner,
		Region: region})
	check("DB1.c9akciq32rgd.eu-west-1.rds.amazonaws.com.", rds.Host{Kind: rds.Instance, Name: "db1", Owner: owner,
		Region: region})
	check("shop.cluster-c9akciq32rgd.eu-west-1.rds.amazonaws.com", rds.Host{Kind: rds.Writer, Name: "shop",
		Owner: owner, Region: region})
	check("shop.cluster-ro-c9akciq32rgd.eu-west-1.rds.amazonaws.com", rds.Host{Kind: rds.Reader, Name: "shop",
		Owner: owner, Region: region})
	check("night.cluster-custom-c9akciq32rgd.eu-west-1.rds.amazonaws.com", rds.Host{Kind: rds.Custom, Name: "night",
		Owner: owner, Region: region})
	check("pool.proxy-c9akciq32rgd.eu-west-1.rds.amazonaws.com", rds.Host{Kind: rds.Proxy, Name: "pool", Owner: owner,
		Region: region})
	check("ro.endpoint.proxy-c9akciq32rgd.eu-west-1.rds.amazonaws.com",
		rds.Host{Kind: rds.Proxy, Name: "ro", Owner: owner, Region: region})
	check("wide.shardgrp-c9akciq32rgd.eu-west-1.rds.amazonaws.com", rds.Host{Kind: rds.Limitless, Name: "wide",
		Owner: owner, Region: region})
	check("world.global-c9akciq32rgd.global.rds.amazonaws.com", rds.Host{Kind: rds.Global, Name: "world", Owner: owner})
	check("db1.c9akciq32rgd.rds.cn-north-1.amazonaws.com.cn", rds.Host{Kind: rds.Instance, Name: "db1", Owner: owner,
		Region: "cn-north-1"})
	check("shop.cluster-c9akciq32rgd.rds.cn-north-1.amazonaws.com.cn", rds.Host{Kind: rds.Writer, Name: "shop",
		Owner: owner, Region: "cn-north-1"})
	for _, other := range []string{"", "localhost", "db.example.com", "rds.amazonaws.com", "eu-west-1.rds.amazonaws.com",
		"db1.c9akciq32rgd.eu-west-1.rds.amazonaws.com.evil.example", "ec2-1-2-3-4.eu-west-1.compute.amazonaws.com",
		"10.0.0.1", "/tmp"} {
		check(other, rds.Host{})
	}
}

func TestResolve(t *testing.T) {
	const cluster, machine = "shop.cluster-c9akciq32rgd.eu-west-1.rds.amazonaws.com.",
		"ec2-1-2-3-4.eu-west-1.compute.amazonaws.com."
	aliases := rds.Aliases(nameServer(t, map[string]string{
		"db.corp.example.": cluster, "public.corp.example.": "moved.corp.example.", "moved.corp.example.": cluster,
		cluster:             machine,
		"web.corp.example.": "web-1.corp.example.",
	}))
	check := func(host, name string, ok bool) {
		t.Helper()
		got, _, found := rds.Resolve(t.Context(), host, aliases)
		if found != ok || ok && got != name {
			t.Errorf("%s: %s, %v", host, got, found)
		}
	}
	check("db.corp.example", "shop.cluster-c9akciq32rgd.eu-west-1.rds.amazonaws.com", true)
	check("Public.corp.example", "shop.cluster-c9akciq32rgd.eu-west-1.rds.amazonaws.com", true)
	check("web.corp.example", "", false)
	check("nobody.corp.example", "", false)
	check("127.0.0.1", "", false)
	check("/tmp", "", false)
	check("localhost", "", false)
	check("db1.c9akciq32rgd.eu-west-1.rds.amazonaws.com", "db1.c9akciq32rgd.eu-west-1.rds.amazonaws.com", true)
}

// nameServer answers on the loopback: a name with its aliases and the last one's address, and another with nothing.
func nameServer(t *testing.T, aliases map[string]string) rds.Dialer {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		question := make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(question)
			if err != nil {
				return
			}
			if answer, err := answerTo(question[:n], aliases); err == nil {
				_, _ = server.WriteTo(answer, from)
			}
		}
	}()
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}
}

func answerTo(question []byte, aliases map[string]string) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		return nil, err
	}
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	name := strings.ToLower(m.Questions[0].Name.String())
	if aliases[name] == "" {
		m.RCode = dnsmessage.RCodeNameError
		return m.Pack()
	}
	for ; aliases[name] != ""; name = aliases[name] {
		m.Answers = append(m.Answers,
			resource(name, &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(aliases[name])}))
	}
	if m.Questions[0].Type == dnsmessage.TypeA {
		m.Answers = append(m.Answers, resource(name, &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}))
	}
	return m.Pack()
}

func resource(name string, body dnsmessage.ResourceBody) dnsmessage.Resource {
	return dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: dnsmessage.MustNewName(name),
		Class: dnsmessage.ClassINET, TTL: 60}, Body: body}
}
