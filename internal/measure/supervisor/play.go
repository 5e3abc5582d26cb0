package supervisor

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/measure/role"
)

// Role returns the role in which [Start] starts this program.
func Role() role.Role { return role.Role{Name: "supervisor", Play: play} }

// stillThere is the interval at which a cleaning process reports that it is at work.
const stillThere = time.Second

// play holds items until in ends, and then cleans them up. It ignores signals from a terminal, a broken pipe or a
// shutdown: they are for realiops, whose end closes in.
func play(in io.Reader, out io.Writer) error {
	dropped := make(chan os.Signal, 1)
	signal.Notify(dropped, os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGTERM)
	var held []order
	answers := json.NewEncoder(out)
	for orders := json.NewDecoder(in); ; {
		var o order
		if orders.Decode(&o) != nil {
			break
		}
		held = slices.DeleteFunc(held, func(h order) bool { return h.Number == o.Number })
		if o.Hold != nil {
			held = append(held, o)
		}
		_ = answers.Encode(answer{}) // if there is no reader, in has ended
	}
	items := make([]Item, len(held))
	for i, h := range held {
		items[i] = *h.Hold
	}
	cleaned := make(chan error, 1)
	go func() { cleaned <- CleanUp(items...) }()
	for tick := time.Tick(stillThere); ; {
		select {
		case err := <-cleaned:
			last := answer{Done: true}
			if err != nil {
				last.Left = err.Error()
			}
			if answers.Encode(last) != nil && err != nil {
				fmt.Fprintln(os.NewFile(3, "the standard error of realiops"), "realiops:", err)
			}
			return nil
		case <-tick:
			_ = answers.Encode(answer{})
		}
	}
}
