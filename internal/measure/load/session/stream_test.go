//go:build unix

package session

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// message encodes one message of a server.
func message(kind byte, body string) string {
	b := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4))
	return string(append(b, body...))
}

var (
	ready  = message('Z', "I")
	oneRow = message('T', "\x00\x01a\x00"+strings.Repeat("\x00", afterName)) +
		message('D', "\x00\x01\x00\x00\x00\x011") + message('C', "SELECT 1\x00")
	inserted = message('C', "INSERT 0 3\x00")
)

// fakeServer answers every request with the given bytes, in pieces of that size, and hangs up.
func fakeServer(t testing.TB, answer string, piece int) *Session {
	client, server := socketPair(t)
	go func() {
		defer server.Close()
		_, _ = server.Read(make([]byte, 4096))
		for rest := answer; len(rest) > 0; {
			n, err := io.WriteString(server, rest[:min(piece, len(rest))])
			if err != nil {
				return
			}
			rest = rest[n:]
		}
	}()
	s := newSession(client, NewDialer(nil, 0))
	t.Cleanup(func() { s.Close(); s.dialer.Close() })
	return s
}

func socketPair(t testing.TB) (net.Conn, net.Conn) {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ends [2]net.Conn
	for i, fd := range pair {
		f := os.NewFile(uintptr(fd), "socket")
		ends[i], err = net.FileConn(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	return ends[0], ends[1]
}

func TestAnswersInPieces(t *testing.T) {
	large := message('D', "\x00\x01\x00\x01\x00\x00"+strings.Repeat("x", 1<<16))
	answer := message('S', "name\x00value\x00") + strings.Replace(oneRow, message('D', "\x00\x01\x00\x00\x00\x011"),
		large, 1) +
		message('N', strings.Repeat("n", 3000)) + inserted + ready
	for _, keep := range []bool{false, true} {
		want := []seen{{Returned: 1}, {Affected: 3}}
		if keep {
			want[0].Row = []string{"a=" + strings.Repeat("x", 1<<16)}
		}
		for _, piece := range []int{1, 2, 3, 7, 1000, 1 << 20} {
			s := fakeServer(t, answer, piece)
			s.Query([]byte("anything"), keep)
			if diff := cmp.Diff(want, all(s)); diff != "" || s.Err() != nil {
				t.Errorf("pieces of %d: %v\n%s", piece, s.Err(), diff)
			}
		}
	}
}

func TestServersThatMisbehave(t *testing.T) {
	check := func(what, answer, want string, results ...seen) {
		t.Helper()
		s := fakeServer(t, answer, 1<<20)
		s.Query([]byte("anything"), true)
		if diff := cmp.Diff(results, all(s)); diff != "" {
			t.Errorf("%s:\n%s", what, diff)
		}
		if s.Err() == nil || s.Err().Error() != "connection lost: "+want {
			t.Errorf("%s: got %v, want %s", what, s.Err(), want)
		}
	}
	const protocol = "the server violated the protocol: "
	hungUp := "closed by the server"
	check("nothing", "", hungUp)
	check("half a message", message('C', "INSERT 0 3\x00")[:9], hungUp)
	check("a result and no end", inserted, hungUp, seen{Affected: 3})
	check("half a dropped message", message('N', "abc")[:6], hungUp)
	check("another protocol", "HTTP/1.1 400 Bad Request\r\n\r\n", protocol+`message 'H' of 1,414,811,695 bytes`)
	check("a length that is too small", "C\x00\x00\x00\x03", protocol+`message 'C' of 3 bytes`)
	check("a row that is too large", "T\x05\x00\x00\x00", protocol+
		`message 'T' of 83,886,080 bytes exceeds the limit of 67,108,864`)
	check("an unknown message", message('!', ""), protocol+`unexpected message '!'`)
	check("a row with too few columns", message('T', "\x00\x01a\x00"+strings.Repeat("\x00", afterName))+
		message('D', "\x00\x00"), protocol+"malformed row")
	check("a value beyond its row", message('T', "\x00\x01a\x00"+strings.Repeat("\x00", afterName))+
		message('D', "\x00\x01\x00\x00\x00\x021"), protocol+"malformed row")
	check("a name without end", message('T', "\x00\x01a"), protocol+"malformed row description")
	check("an error without end", message('E', "SERROR\x00Mx"), protocol+"truncated error message")
	check("parsed what nobody asked", message('1', ""), protocol+"more statements parsed than requested")
	check("ready without a state", message('Z', ""), protocol+"ReadyForQuery with a body of 0 bytes")
	failure := message('E', "SERROR\x00VERROR\x00C22P05\x00Mno equivalent\x00\x00")
	check("errors without end", strings.Repeat(failure, 1000), protocol+"more than 10 errors in one answer: no equivalent",
		slices.Repeat([]seen{{Kind: Other}}, 10)...)
	check("fatal", message('E', "SFATAL\x00VFATAL\x00C57P02\x00Mcrash\x00\x00"), "FATAL: crash (SQLSTATE 57P02)")
}

// Only bytes received and kept may take memory, whatever length a message claims.
func TestBuffersGrowAsBytesCome(t *testing.T) {
	const came = 300_000
	check := func(keep bool, most int) {
		t.Helper()
		s := fakeServer(t, "D\x03\xff\xff\xff"+strings.Repeat("x", came), 1<<20)
		s.Query([]byte("anything"), keep)
		for {
			if _, _, err := s.message(); err != nil {
				break
			}
		}
		if len(s.in) > most {
			t.Errorf("keep %v: %d bytes came, and the buffer grew to %d", keep, came, len(s.in))
		}
	}
	check(true, 2*came)
	check(false, bigSize)
}

// Messages between batches may be cut anywhere.
func TestAnswersAcrossBatches(t *testing.T) {
	client, server := socketPair(t)
	defer server.Close()
	notice := message('N', "Mhalf of this comes later\x00\x00")
	go func() {
		for _, answer := range []string{inserted + ready + notice[:9], notice[9:] + inserted + ready} {
			_, _ = server.Read(make([]byte, 4096))
			_, _ = io.WriteString(server, answer)
		}
	}()
	k := NewDialer(nil, 0)
	defer k.Close()
	s := newSession(client, k)
	defer s.Close()
	for range 2 {
		s.Query([]byte("anything"), false)
		expect(t, "a batch", s, seen{Affected: 3})
	}
}

func TestServerThatIsGoneBeforeWeAsk(t *testing.T) {
	client, server := socketPair(t)
	if _, err := io.WriteString(server, message('E', "SFATAL\x00VFATAL\x00C57P05\x00Midle too long\x00\x00")); err !=
		nil {
		t.Fatal(err)
	}
	server.Close()
	k := NewDialer(nil, 0)
	defer k.Close()
	s := newSession(client, k)
	defer s.Close()
	s.Query([]byte("anything"), false)
	if _, err := s.Finish(); err == nil || err.Error() != "connection lost: FATAL: idle too long (SQLSTATE 57P05)" {
		t.Errorf("got %v", err)
	}
}

// A killed server says nothing; its other sessions report a crash.
func TestServerThatIsKilled(t *testing.T) {
	aServer(t) // skips if there is none
	srv, missing := startServer()
	if missing != "" {
		t.Fatal(missing)
	}
	defer srv.stop()
	for _, way := range ways {
		s := srv.open(t, way, long)
		time.AfterFunc(50*time.Millisecond, func() { _ = syscall.Kill(int(s.origin.PID), syscall.SIGKILL) })
		s.Query([]byte("select pg_sleep(60)"), false)
		if _, err := s.Finish(); KindOf(err) != Lost {
			t.Errorf("%s: got %v", way, err)
		}
		awaitServer(t, srv)
	}
}

// awaitServer waits until a server takes sessions again after one was killed.
func awaitServer(t testing.TB, srv *server) {
	t.Helper()
	for deadline := time.Now().Add(long); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if srv.run("psql", "-h", srv.dir, "-p", strconv.Itoa(srv.port), "-U", "postgres", "-c", "select 1") == nil {
			return
		}
	}
	t.Fatal("the server did not come back")
}

// FuzzAnswers feeds arbitrary bytes to the reader. It must end without a panic, and without
// memory beyond the bytes sent.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(oneRow+ready), uint8(3), uint8(0), true)
	f.Add([]byte(message('1', "")+message('2', "")+inserted+message('E', "SERROR\x00C40001\x00Mx\x00\x00")+ready),
		uint8(100), uint8(1), false)
	f.Add([]byte(message('G', "\x00\x00\x01\x00\x00")+message('E', "SERROR\x00C57014\x00Mx\x00\x00")+ready), uint8(100),
		uint8(2), false)
	f.Add([]byte("T\x00\x00\xff\xff"+strings.Repeat("x", 5000)), uint8(255), uint8(0), true)
	f.Add([]byte(message('G', "")+message('G', "")+inserted+ready), uint8(5), uint8(3), true)
	st, err := NewStatement("n", "select $1", 1, true)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, answer []byte, piece, how uint8, keep bool) {
		client, server := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, server) }()
		go func() {
			defer server.Close()
			size := int(piece)*16 + 1
			for rest := answer; len(rest) > 0; {
				n, err := server.Write(rest[:min(size, len(rest))])
				if err != nil {
					return
				}
				rest = rest[n:]
			}
		}()
		k := NewDialer(nil, 0)
		defer k.Close()
		s := newSession(client, k)
		defer s.Close()
		switch how % 4 {
		case 0:
			s.Query([]byte("q"), keep)
		case 1:
			s.Extended(st, args("1"))
			s.Sync()
			s.Prepared(st, args("1"))
			s.Prepared(st, args("2"))
		case 2:
			s.Extended(st, args("1"))
		case 3:
			_, _ = s.CopyIn([]byte("q"), numbers(10, 5))
		}
		for s.Next() {
			for range s.Row() {
			}
			if len(s.in) > bigSize+2*len(answer) {
				t.Fatalf("%d bytes came, and the buffer grew to %d", len(answer), len(s.in))
			}
		}
	})
}
