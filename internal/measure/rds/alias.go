package rds

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// Dialer connects to a DNS server, as in net.Resolver.
type Dialer func(ctx context.Context, network, address string) (net.Conn, error)

// Aliases returns a function that returns a host's CNAMEs in order: a publicly accessible database is an alias of its
// machine, and its own name appears only on the way. net.Resolver returns only the last one, so the answers are
// overheard. If the system's resolver or TCP hides them, only the last one is known.
func Aliases(dial Dialer) func(ctx context.Context, host string) ([]string, error) {
	return func(ctx context.Context, host string) ([]string, error) {
		var heard aliases
		resolver := net.Resolver{
			PreferGo: true, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := dial(ctx, network, address)
				if udp, is := conn.(*net.UDPConn); is {
					conn = overheard{udp, &heard}
				}
				return conn, err
			}}
		last, err := resolver.LookupCNAME(ctx, host)
		if err != nil {
			return nil, err
		}
		return append(heard.of(host), last), nil
	}
}

// aliases holds the aliases from all answers, which may arrive concurrently.
type aliases struct {
	mu   sync.Mutex
	next map[string]string // by name in lower case
}

// overheard is a connection to a DNS server that records aliases from its answers.
type overheard struct {
	*net.UDPConn
	heard *aliases
}

func (o overheard) Read(p []byte) (int, error) {
	n, err := o.UDPConn.Read(p)
	if err == nil {
		o.heard.take(p[:n])
	}
	return n, err
}

// take records the aliases of an answer. It leaves unreadable ones to the resolver.
func (a *aliases) take(message []byte) {
	var answer dnsmessage.Message
	if answer.Unpack(message) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range answer.Answers {
		if alias, is := r.Body.(*dnsmessage.CNAMEResource); is {
			if a.next == nil {
				a.next = map[string]string{}
			}
			a.next[strings.ToLower(r.Header.Name.String())] = alias.CNAME.String()
		}
	}
}

func (a *aliases) of(host string) (names []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for at := host; ; {
		next, there := a.next[strings.ToLower(strings.TrimSuffix(at, ".")+".")]
		if !there || slices.Contains(names, next) {
			return names
		}
		names, at = append(names, next), next
	}
}
