//go:build linux

package main

import (
	"fmt"
	"net"
	"slices"
	"syscall"
	"time"
)

// networks are unreachable addresses, and relays between a command and its server.
func networks() []Fault {
	return in("network", slices.Concat(nobodyThere(), troubled(), encrypted(), measured("network"))...)
}

// nobodyThere are absent servers, and servers that hang.
func nobodyThere() (all []Fault) {
	silent := func(command string) prepare {
		return func(p *place) ([]string, error) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return nil, err
			}
			p.atEnd(l.Close)
			return append(words(command), "--dsn", fmt.Sprintf("postgres://u@%s/x?connect_timeout=2&sslmode=disable",
				l.Addr())), nil
		}
	}
	for _, command := range []string{"run", "doctor", "observe", "load", "measure --sql select"} {
		all = append(all,
			Fault{Name: "`" + words(command)[0] + "` where nobody listens", Prepare: plain(append(words(command),
				"--dsn", "postgres://u@127.0.0.1:1/x")...), Status: 1,
				Says: "connection refused; is the server running there?"},
			Fault{Name: "`" + words(command)[0] + "` on what takes the connection and says nothing",
				Prepare: silent(command), Within: 30 * time.Second, Status: 1, Says: "timeout expired"},
		)
	}
	return all
}

func troubled() (all []Fault) {
	const dead = "hang, and Ctrl-C" // nothing on the server can be reached any more
	when := map[string]moment{"run": underLoad, "observe": reading, "load": {text: "progress:"}}
	for name, command := range map[string]prepare{"run": longRun(), "observe": observing("15s"), "load": loads("10")} {
		add := func(trouble string, do strike, status int, says, marks string) {
			all = append(all, Fault{Name: fmt.Sprintf("`%s`, whose connections %s", name, trouble),
				Prepare: relayed(command), When: when[name],
				Strike: do, Status: status, Says: says, Marks: marks, Stays: name == "run" && trouble == dead,
				Within: 2 * time.Minute})
		}
		failed, says := 2, "realiops:"
		if name == "observe" {
			failed, says = 0, ""
		}
		add("are cut", network((*relay).cut), failed, says, "")
		add("end in the middle of a message", network(func(r *relay) {
			r.fromNowOn(halved)
		}).and(pauseAnyway(time.Second), network(func(r *relay) { r.fromNowOn(untouched) })), failed, says, "")
		add("carry garbage", network(func(r *relay) {
			r.fromNowOn(garbled)
		}).and(pauseAnyway(time.Second), network(func(r *relay) { r.fromNowOn(untouched); r.cut() })), failed, says, "")
		add(dead, network(func(r *relay) {
			r.fromNowOn(swallowed)
		}).and(pause(time.Second), signal(syscall.SIGINT, group)), failed, says, "")
	}
	slow := network(func(r *relay) { r.fromNowOn(slowed(100 * time.Millisecond)) })
	return append(all,
		Fault{Name: "`run`, whose connections become slow", Prepare: relayed(runs()), When: underLoad, Strike: slow,
			Within: 2 * time.Minute},
		Fault{Name: "`observe`, whose connections become slow", Prepare: relayed(observes()), When: reading,
			Strike: slow},
		Fault{Name: "`load`, whose connections become slow", Prepare: relayed(loads("5")),
			When: moment{text: "progress:"}, Strike: slow},
	)
}

// encrypted are connections whose TLS fails during use, and when new ones are made.
func encrypted() (all []Fault) {
	when := map[string]moment{"run": underLoad, "observe": reading, "load": {text: "progress:"}}
	off := func(s *scene) error {
		s.front.off.Store(true)
		s.relay.cut()
		return nil
	}
	garble := network(func(r *relay) {
		r.fromNowOn(garbled)
	}).and(pauseAnyway(time.Second), network(func(r *relay) { r.fromNowOn(untouched); r.cut() }))
	for name, command := range map[string]prepare{"run": longRun(), "observe": observing("15s"), "load": loads("10")} {
		meets := meets{relayed: true, encrypts: true}.by(command)
		status, says, marks := 2, "realiops:", ""
		if name == "observe" {
			status, says, marks = 0, "", "TLS"
		}
		all = append(all,
			Fault{Name: "`" + name + "` over TLS, whose records are broken", Prepare: meets, When: when[name],
				Strike: garble, Status: status, Says: says, Within: 2 * time.Minute},
			Fault{Name: "`" + name + "` over TLS, which is switched off", Prepare: meets, When: when[name], Strike: off,
				Status: status, Says: says, Marks: marks, Stays: name == "run", Within: 2 * time.Minute},
		)
	}
	return all
}
