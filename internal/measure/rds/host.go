package rds

import (
	"context"
	"net"
	"strings"
	"time"
)

// Kind is the kind of server to which one of AWS's host names leads.
type Kind string

// The kinds of host.
const (
	Instance  Kind = "instance"
	Writer    Kind = "writer"    // the current writer of a cluster
	Reader    Kind = "reader"    // any reader of a cluster, or the writer if there is none
	Custom    Kind = "custom"    // any of some instances of a cluster
	Proxy     Kind = "proxy"     // RDS Proxy, a pooler
	Global    Kind = "global"    // the writer of a database in several regions
	Limitless Kind = "limitless" // a group of shards
)

// Host is a parsed host name of RDS.
type Host struct {
	Kind   Kind
	Name   string // of the instance, the cluster, or the endpoint
	Region string // empty if the name has none
	// Owner is AWS's word for an account in a region: hosts with different ones belong to
	// different accounts or regions.
	Owner string
}

// clusterKinds lists the prefixes of the second label of names other than instances', longer ones first.
var clusterKinds = []struct {
	prefix string
	kind   Kind
}{
	{"cluster-custom-", Custom}, {"cluster-ro-", Reader}, {"cluster-", Writer},
	{"proxy-", Proxy}, {"shardgrp-", Limitless}, {"global-", Global},
}

// ParseHost parses a host name of an AWS database; false if it is not one. In China the region follows rds:
// db.abc.rds.cn-north-1.amazonaws.com.cn.
func ParseHost(host string) (Host, bool) {
	labels := strings.Split(strings.TrimSuffix(strings.ToLower(host), "."), ".")
	if len(labels) == 7 && labels[1] == "endpoint" {
		labels = append(labels[:1], labels[2:]...) // of a proxy's further endpoints
	}
	var region string
	switch rest := strings.Join(labels[min(2, len(labels)):], "."); {
	case len(labels) == 6 && strings.HasSuffix(rest, ".rds.amazonaws.com"):
		region = labels[2]
	case len(labels) == 7 && strings.HasPrefix(rest, "rds.") && strings.HasSuffix(rest, ".amazonaws.com.cn"):
		region = labels[3]
	default:
		return Host{}, false
	}
	h := Host{Kind: Instance, Name: labels[0], Owner: labels[1], Region: region}
	for _, k := range clusterKinds {
		if owner, ok := strings.CutPrefix(labels[1], k.prefix); ok {
			h.Kind, h.Owner = k.kind, owner
			break
		}
	}
	if h.Kind == Global {
		h.Region = "" // the name says global there
	}
	return h, true
}

// lookupWithin bounds the lookup of a name, which is not worth a longer wait.
const lookupWithin = 2 * time.Second

// Resolve finds the AWS host behind a name, by the name itself or its aliases; false if there is none.
func Resolve(ctx context.Context, host string, aliases func(context.Context, string) ([]string, error)) (name string,
	found Host, ok bool) {
	if found, ok = ParseHost(host); ok {
		return host, found, true
	}
	if net.ParseIP(host) != nil || strings.HasPrefix(host, "/") || !strings.Contains(host, ".") {
		return "", Host{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, lookupWithin)
	defer cancel()
	names, err := aliases(ctx, host)
	if err != nil {
		return "", Host{}, false
	}
	for _, name := range names {
		name = strings.TrimSuffix(name, ".")
		if found, ok := ParseHost(name); ok {
			return name, found, true
		}
	}
	return "", Host{}, false
}
