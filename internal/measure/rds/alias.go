package rds

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// Dialer connects to a DNS server, as net.Resolver has it.
type Dialer func(ctx context.Context, network, address string) (net.Conn, error)

// Aliases returns the names that a host stands for by DNS, in their order: a database that is open to the internet is
// an alias of its machine, and only on the way there does its own name come up. net.Resolver gives the last one alone,
// so the answers are overheard; where the system's resolver or TCP hides them, the last one is all there is.
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

// aliases holds the aliases from all answers, which may come at once.
type aliases struct {
	mu   sync.Mutex
	next map[string]string // by the name in lower case
}

// overheard is a connection to a DNS server whose answers are looked into.
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

// take notes the aliases of an answer; one that cannot be read is the resolver's to refuse.
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
