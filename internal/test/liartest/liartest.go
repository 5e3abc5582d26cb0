// Package liartest stands in for a server that begins to speak PostgreSQL's protocol and then violates it: it reports
// readiness and stays silent, stops in the middle of a row, drips, or never ends.
//
// A liar treats all clients alike, and accepts cancel requests without an answer. It knows no SQL: it lies in
// its first answer at the latest.
package liartest

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Lie is a liar's behaviour.
type Lie struct {
	Name string
	// Greets says that sessions begin. A lie before that is bounded by the connect timeout.
	Greets bool
	// TLS says that the liar claims to speak TLS.
	TLS bool
	// Ends says that the lie exceeds a bound immediately: the connection ends or an answer is too long.
	Ends bool
	// Floods says that an answer is too long.
	Floods bool
	// tell runs after the greeting and the first request, or before them.
	tell func(*client)
}

// client is a connected client.
type client struct {
	net.Conn
	gone   chan struct{}
	simple bool // it used the simple protocol
}

// begin begins an answer with rows, and reports whether it was sent.
func (c *client) begin(more ...pgproto3.BackendMessage) bool {
	if !c.simple && !c.say(&pgproto3.ParseComplete{}, &pgproto3.BindComplete{}) {
		return false
	}
	return c.say(append([]pgproto3.BackendMessage{rows}, more...)...)
}

// say sends messages, and reports whether that succeeded.
func (c *client) say(messages ...pgproto3.BackendMessage) bool {
	var b []byte
	for _, m := range messages {
		b, _ = m.Encode(b) // always encodable
	}
	_, err := c.Write(b)
	return err == nil
}

// drip sends a byte a second, until the client leaves.
func (c *client) drip(b []byte) {
	for i := 0; ; i = min(i+1, len(b)-1) {
		if _, err := c.Write(b[i : i+1]); err != nil {
			return
		}
		select {
		case <-c.gone:
			return
		case <-time.After(time.Second):
		}
	}
}

// again sends a message over and over.
func (c *client) again(m pgproto3.BackendMessage) {
	one, _ := m.Encode(nil)
	var many []byte
	for len(many) < 1<<16 {
		many = append(many, one...)
	}
	for {
		if _, err := c.Write(many); err != nil {
			return
		}
	}
}

var (
	ready = &pgproto3.ReadyForQuery{TxStatus: 'I'}
	row   = &pgproto3.DataRow{Values: [][]byte{[]byte("1")}}
	rows  = &pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{
		{Name: []byte("a"), DataTypeOID: 25, DataTypeSize: -1, TypeModifier: -1},
	}}
	notice = &pgproto3.NoticeResponse{Severity: "NOTICE", Code: "00000", Message: "wait"}
)

// announced is the head of a message of a gigabyte.
var announced = []byte{'D', 0x40, 0, 0, 0, 0}

// Lies returns all lies.
func Lies() []Lie {
	nothing := func(*client) {}
	greeted := func(name string, tell func(*client)) Lie { return Lie{Name: name, Greets: true, tell: tell} }
	flood := func(name string, tell func(*client)) Lie {
		return Lie{Name: name, Greets: true, Ends: true, Floods: true, tell: tell}
	}
	return []Lie{
		{Name: "says nothing", tell: nothing},
		{Name: "drips one byte a second", tell: func(c *client) { c.drip([]byte{'R', 0, 0, 0, 8, 0}) }},
		{Name: "announces a gigabyte instead of a greeting", Ends: true, tell: func(c *client) {
			c.drip(append([]byte{'R'}, announced[1:]...))
		}},
		{Name: "stops in the middle of the authentication", tell: func(c *client) {
			c.say(&pgproto3.AuthenticationSASL{AuthMechanisms: []string{"SCRAM-SHA-256"}})
		}},
		{Name: "sends settings without an end", tell: func(c *client) {
			c.again(&pgproto3.ParameterStatus{Name: "a", Value: "b"})
		}},
		{Name: "stops in a handshake of TLS", TLS: true, tell: nothing},
		{Name: "stops in a record of TLS", TLS: true, tell: func(c *client) {
			_, _ = c.Write([]byte{22, 3, 3, 0x10, 0, 2})
		}},
		greeted("does not answer", nothing),
		greeted("is ready too early", func(c *client) {
			c.begin(ready)
		}),
		greeted("is ready too early, and drips", func(c *client) {
			c.begin(ready)
			c.drip([]byte{'D', 0, 0, 0xff, 0xff, 0})
		}),
		greeted("stops in the middle of a row", func(c *client) {
			c.begin()
			_, _ = c.Write([]byte{'D', 0, 0, 0, 30, 0, 1})
		}),
		greeted("stops in the middle of a batch", func(c *client) {
			c.begin(row, &pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
		}),
		greeted("drips its answer", func(c *client) { c.drip([]byte{'T', 0, 0, 0xff, 0xff, 0}) }),
		flood("announces a gigabyte", func(c *client) { c.drip(announced) }),
		flood("sends rows without an end", func(c *client) {
			c.begin()
			c.again(row)
		}),
		flood("sends notices without an end", func(c *client) { c.again(notice) }),
		{Name: "closes its half of the connection", Greets: true, Ends: true, tell: func(c *client) {
			if half, is := c.Conn.(*net.TCPConn); is {
				_ = half.CloseWrite()
			}
		}},
	}
}

// Liar listens on a port of this machine.
type Liar struct {
	listener net.Listener
	lie      Lie
	mu       sync.Mutex
	open     []net.Conn
	asked    int
}

// Listen starts a liar. The caller closes it.
func Listen(lie Lie) (*Liar, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &Liar{listener: listener, lie: lie}
	go l.serve()
	return l, nil
}

// DSN returns a connection string that leads to the liar.
func (l *Liar) DSN() string {
	mode := "disable"
	if l.lie.TLS {
		mode = "require"
	}
	return "postgres://u@" + l.listener.Addr().String() + "/x?sslmode=" + mode
}

// Asked returns the number of clients lied to.
func (l *Liar) Asked() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked
}

// Close closes the liar and all connections.
func (l *Liar) Close() error {
	err := l.listener.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.open {
		c.Close()
	}
	return err
}

func (l *Liar) serve() {
	for {
		c, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.mu.Lock()
		l.open = append(l.open, c)
		l.mu.Unlock()
		go l.receive(c)
	}
}

// Requests in place of a startup message.
const (
	cancels = 80877102
	asksTLS = 80877103
)

var errEnough = errors.New("nothing more is said")

// receive serves one client and keeps the connection until the client leaves.
func (l *Liar) receive(conn net.Conn) {
	c := &client{Conn: conn, gone: make(chan struct{})}
	defer conn.Close()
	defer close(c.gone)
	err := l.greet(c)
	for err == nil {
		err = l.answer(c)
	}
	_, _ = io.Copy(io.Discard, conn)
}

// greet begins a session, unless the lie comes before.
func (l *Liar) greet(c *client) error {
	for {
		head := make([]byte, 8)
		if _, err := io.ReadFull(c, head); err != nil {
			return err
		}
		switch binary.BigEndian.Uint32(head[4:]) {
		case cancels:
			return errEnough
		case asksTLS:
			said := []byte("N")
			if l.lie.TLS {
				said = []byte("S")
			}
			if _, err := c.Write(said); err != nil || !l.lie.TLS {
				continue
			}
			return l.begin(c)
		}
		if _, err := io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(head))-int64(len(head))); err != nil {
			return err
		}
		if !l.lie.Greets {
			return l.begin(c)
		}
		if !c.say(&pgproto3.AuthenticationOk{}, &pgproto3.ParameterStatus{Name: "server_version", Value: "17.4"},
			&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{1, 2, 3, 4}}, ready) {
			return errEnough
		}
		return nil
	}
}

// answer reads one request. It lies to the first query, but answers a lone Sync truthfully.
func (l *Liar) answer(c *client) error {
	head := make([]byte, 5)
	if _, err := io.ReadFull(c, head); err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(head[1:]))-4); err != nil {
		return err
	}
	switch head[0] {
	case 'S':
		c.say(ready)
		return nil
	case 'X': // Terminate
		return errEnough
	}
	c.simple = head[0] == 'Q'
	return l.begin(c)
}

// begin tells the lie.
func (l *Liar) begin(c *client) error {
	l.mu.Lock()
	l.asked++
	l.mu.Unlock()
	go l.lie.tell(c)
	return errEnough
}
