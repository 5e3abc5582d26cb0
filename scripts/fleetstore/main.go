// Command fleetstore serves a store of many RDS instances on the loopback, whose series are computed on request, and
// prints its address. scripts/bench-fleet queries it.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/realiops/realiops/internal/test/prometheustest"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "fleetstore:", err)
		os.Exit(1)
	}
}

func serve() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: fleetstore NUMBER")
	}
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	return http.Serve(l, &prometheustest.Made{Instances: n})
}
