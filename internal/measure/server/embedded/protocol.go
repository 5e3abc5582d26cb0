package embedded

import (
	"encoding/json"
	"io"
	"net"
	"net/url"
	"strconv"
	"sync"

	"github.com/realiops/realiops/internal/measure/server/embedded/binaries"
)

// order is what a keeper is started for: the one line on its standard input. One of the two is set.
type order struct {
	Serve *Options        `json:"serve,omitempty"`
	Fetch *binaries.Order `json:"fetch,omitempty"`
}

// event is a line that a keeper writes. One of its fields is set.
type event struct {
	Stage     string     `json:"stage,omitempty"`     // what is being done, for people
	Directory *directory `json:"directory,omitempty"` // made, and to be removed by realiops if the keeper cannot
	Process   int        `json:"process,omitempty"`   // the server's
	Ready     *endpoint  `json:"ready,omitempty"`     // the server takes connections
	Failed    string     `json:"failed,omitempty"`    // why there is no server
	Died      string     `json:"died,omitempty"`      // why there is no server any more
	Kept      string     `json:"kept,omitempty"`      // the directory that stays, for people
	Left      string     `json:"left,omitempty"`      // what should have been removed, and why it was not
	Done      bool       `json:"done,omitempty"`      // the last word: there is nothing left to clear up
}

// endpoint is a server that takes connections.
type endpoint struct {
	Version   string `json:"version"` // as PostgreSQL names it
	Port      int    `json:"port"`
	Password  string `json:"password"`
	SocketDir string `json:"socket_dir,omitempty"` // empty where its path is too long for a socket
	DataDir   string `json:"data_dir"`
	Place     place  `json:"place"`
}

// What is the same for every server here.
const (
	superuser = "postgres"
	database  = "postgres"
	loopback  = "127.0.0.1"
)

// url connects over TCP, in the form that every driver takes.
func (e endpoint) url() string {
	return e.connect(net.JoinHostPort(loopback, strconv.Itoa(e.Port)), url.Values{})
}

// dsn connects by the socket where there is one, because that costs the clients least.
func (e endpoint) dsn() string {
	if e.SocketDir == "" {
		return e.url()
	}
	return e.connect("", url.Values{"host": {e.SocketDir}, "port": {strconv.Itoa(e.Port)}})
}

func (e endpoint) connect(host string, parameters url.Values) string {
	parameters.Set("sslmode", "disable")
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(superuser, e.Password), Host: host,
		Path: "/" + database, RawQuery: parameters.Encode(),
	}
	return u.String()
}

// teller writes events. Nobody may be listening any more, so that writing cannot fail.
type teller struct {
	mu  sync.Mutex
	out *json.Encoder
}

func newTeller(out io.Writer) *teller { return &teller{out: json.NewEncoder(out)} }

func (t *teller) tell(e event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = t.out.Encode(e)
}

func (t *teller) stage(text string) { t.tell(event{Stage: text}) }
