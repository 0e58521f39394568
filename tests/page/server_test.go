package page

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// A server is a running cellserver, whose program the environment names.
type server struct {
	t       *testing.T
	port    string
	page    string // the URL of the page
	process *os.Process
	conn    net.Conn
	in      *bufio.Reader
}

func start(t *testing.T, directives ...string) *server {
	t.Helper()
	program := os.Getenv("CELLSERVER")
	require.NotEmpty(t, program, "run tests/page/run: it builds the server")
	s := &server{t: t, port: fmt.Sprint(porttest.Free(t))}
	web := fmt.Sprint(porttest.Free(t))
	s.page = "http://127.0.0.1:" + web
	args := append([]string{"--port", s.port, "--http-port", web, "--dir", t.TempDir()}, directives...)
	command := exec.Command(program, args...)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	s.process = command.Process
	require.Eventually(t, func() bool {
		reply, err := http.Get(s.page + "/readyz")
		if err != nil {
			return false
		}
		defer reply.Body.Close()
		return reply.StatusCode == http.StatusOK
	}, time.Minute, 10*time.Millisecond)
	s.conn, s.in = s.dial()
	return s
}

func (s *server) dial() (net.Conn, *bufio.Reader) {
	conn, err := net.Dial("tcp", "127.0.0.1:"+s.port)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = conn.Close() })
	return conn, bufio.NewReader(conn)
}

// do sends a command and returns the reply as text, until that of PING.
func (s *server) do(command string) string {
	s.t.Helper()
	_, err := s.conn.Write(append(request(command), "PING\r\n"...))
	require.NoError(s.t, err)
	var reply strings.Builder
	for {
		line, err := s.in.ReadString('\n')
		require.NoError(s.t, err)
		if line == "+PONG\r\n" {
			return reply.String()
		}
		reply.WriteString(line)
	}
}

func request(command string) []byte {
	var b bytes.Buffer
	words := strings.Fields(command)
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, word := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(word), word)
	}
	return b.Bytes()
}

// everyTraffic is how often the traffic sends its requests.
const everyTraffic = 50 * time.Millisecond

// traffic sends requests to rules until the test ends: waves of users, of whom a few ask too often.
func (s *server) traffic(perSecond float64) {
	conn, in := s.dial()
	go func() {
		for {
			if _, err := in.ReadString('\n'); err != nil {
				return
			}
		}
	}()
	go func() {
		random := rand.New(rand.NewPCG(1, 2))
		for round := 0; ; round++ {
			wave := 1 + 0.35*math.Sin(float64(round)/130) + 0.2*math.Sin(float64(round)/37)
			var b bytes.Buffer
			for range int(perSecond * wave * everyTraffic.Seconds() * (0.8 + 0.4*random.Float64())) {
				b.Write(request(oneRequest(random)))
			}
			if _, err := conn.Write(b.Bytes()); err != nil {
				return
			}
			time.Sleep(everyTraffic)
		}
	}()
}

func oneRequest(random *rand.Rand) string {
	user := int(math.Abs(random.NormFloat64()) * 400)
	switch n := random.IntN(100); {
	case n < 55:
		return fmt.Sprintf("CL.CHECK api user:%d", user)
	case n < 68:
		return fmt.Sprintf("CL.CHECK search user:%d", user)
	case n < 75:
		return fmt.Sprintf("CL.CHECK login ip:10.0.%d.%d", user%7, user%31)
	case n < 83:
		return fmt.Sprintf("CL.CHECK llm-tokens org:%d user:%d %d", user%9, user, 50+random.IntN(900))
	case n < 90:
		return fmt.Sprintf("CL.CHECK upload-trial user:%d", user)
	}
	return fmt.Sprintf("CL.THROTTLE mail:%d 4 10 60", user%150)
}

// rules sets the rules that the traffic asks.
func (s *server) rules() {
	for _, rule := range []string{
		"api 40 per 10 seconds burst 20 AND 5000 an hour", "search CL.SLIDING 30 10", "login 20 per minute burst 5",
		"llm-tokens 400k tokens a minute per org AND 20k tokens a minute per user", "upload-trial 12/minute burst 3 SHADOW",
	} {
		require.Equal(s.t, "+OK\r\n", s.do("CL.RULE SET "+rule))
	}
}
