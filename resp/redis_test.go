package resp

import (
	"errors"
	"io"
	"math"
	"net"
	"strings"
	"syscall"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// likeRedis answers the commands of the comparison as Redis does: PING, ECHO x, and EVAL 'return ARGV' 0 …, which
// returns its arguments.
type likeRedis struct{ quiet }

func (h *likeRedis) Handle(args [][]byte, w *Writer) Status {
	if h.limits.Unauthenticated {
		w.Error("NOAUTH Authentication required.")
		return Continue
	}
	switch strings.ToLower(string(args[0])) {
	case "ping":
		w.Simple("PONG")
	case "echo":
		w.Bulk(args[1])
	case "eval":
		w.Array(len(args) - 3)
		for _, a := range args[3:] {
			w.Bulk(a)
		}
	default:
		panic("not a command of this test")
	}
	return Continue
}

// ask sends the stream to Redis, closes the write side, and returns all replies.
func ask(t *testing.T, socket string, stream []byte) string {
	nc, err := net.Dial("unix", socket)
	require.NoError(t, err)
	defer nc.Close()
	go func() {
		nc.Write(stream)
		nc.(*net.UnixConn).CloseWrite()
	}()
	out, err := io.ReadAll(nc)
	if !errors.Is(err, syscall.ECONNRESET) {
		require.NoError(t, err)
	}
	return string(out)
}

func TestHostileRequestsAgainstRedis(t *testing.T) {
	socket := resptest.StartRedis(t)
	locked := resptest.StartRedis(t, "--requirepass", "x")
	streams := []string{"*10\r\n$16384\r\n", "*11\r\n", "*1\r\n$16385\r\n", "*1\r\n$9999999999\r\n", wire("ping") + "*11\r\n"}
	for _, c := range hostile {
		streams = append(streams, c.in, "ping\r\n"+wire("ECHO", "x")+c.in)
	}
	for _, in := range streams {
		want := ask(t, socket, []byte(in))
		got, _ := feed(NewSession(&likeRedis{}), []byte(in), 1000)
		require.Equal(t, want, got, "%.80q", in)

		want = ask(t, locked, []byte(in))
		got, _ = feed(NewSession(&likeRedis{quiet{Limits{Unauthenticated: true}}}), []byte(in), 1000)
		require.Equal(t, want, got, "before AUTH: %.80q", in)
	}
}

func TestRandomRequestsAgainstRedis(t *testing.T) {
	socket := resptest.StartRedis(t)
	r := newRand(t)
	for range 500 {
		var stream []byte
		for range 1 + r.IntN(5) {
			words := strings.NewReplacer("\n", "", "\x00", "").Replace(string(randomBytes(r, 30)))
			switch r.IntN(4) {
			case 0:
				stream = append(stream, wire("EVAL", "return ARGV", "0", words, string(randomBytes(r, 30)))...)
			case 1:
				stream = append(stream, "*"+strings.NewReplacer("\n", "1", "\x00", "2").Replace(string(randomBytes(r, 3)))+"\r\n"...)
			default:
				stream = append(stream, "eval 'return ARGV' 0 "+words+"\r\n"...)
			}
		}
		want := ask(t, socket, stream)
		got, _ := feed(NewSession(&likeRedis{}), stream, 1+r.IntN(100))
		require.Equal(t, want, got, "%q", stream)
	}
}

// Redis writes scores as FormatDouble does.
func TestFormatDoubleAgainstRedis(t *testing.T) {
	c := resptest.Dial(t, resptest.StartRedis(t))
	r := newRand(t)
	for range 500 {
		f := math.Float64frombits(r.Uint64())
		if r.IntN(2) == 0 {
			f = float64(r.Int64()>>r.IntN(64)) / math.Pow10(r.IntN(20))
		}
		if math.IsNaN(f) {
			continue
		}
		c.Do("ZADD", "z", f, "m")
		require.Equal(t, string(FormatDouble(nil, f)), c.Do("ZSCORE", "z", "m"))
	}
}
