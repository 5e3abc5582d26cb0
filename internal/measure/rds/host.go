package rds

import (
	"context"
	"net"
	"strings"
	"time"
)

// Kind classifies the targets of AWS's host names.
type Kind string

// The kinds of host.
const (
	Instance  Kind = "instance"
	Writer    Kind = "writer"    // of a cluster, whichever instance that is now
	Reader    Kind = "reader"    // any reader of a cluster, or its writer where there is none
	Custom    Kind = "custom"    // any of some instances of a cluster
	Proxy     Kind = "proxy"     // RDS Proxy, a pooler
	Global    Kind = "global"    // the writer of a database of several regions
	Limitless Kind = "limitless" // a group of shards
)

// Host is a parsed host name of RDS.
type Host struct {
	Kind   Kind
	Name   string // of the instance, the cluster, or the endpoint
	Region string // empty where the name says none
	// Owner is a word that AWS gives each account in each region: two hosts with different ones are of different
	// accounts or regions.
	Owner string
}

// clusterKinds are the prefixes of the second label of a name that is not an instance's. Longer ones come first.
var clusterKinds = []struct {
	prefix string
	kind   Kind
}{
	{"cluster-custom-", Custom}, {"cluster-ro-", Reader}, {"cluster-", Writer},
	{"proxy-", Proxy}, {"shardgrp-", Limitless}, {"global-", Global},
}

// ParseHost reads a host name as AWS makes them; false where it is not one of a database. In China the region stands
// behind rds: db.abc.rds.cn-north-1.amazonaws.com.cn.
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

// lookupWithin bounds the question for a name: it is a help, and not worth a wait.
const lookupWithin = 2 * time.Second

// Resolve finds the host of AWS's that a name stands for, by the name itself or by its aliases; false where there is
// none.
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
