package app

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// hostileHub answers each command with bytes that a function chooses, "" for none. If these end with closes, it closes.
type hostileHub struct {
	ln     net.Listener
	answer func(name string, words []any) string
	pieces int // the most bytes of a write; 0 for any number
}

const closes = "\x00"

func newHostileHub(t *testing.T, pieces int, answer func(name string, words []any) string) *hostileHub {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { ln.Close() })
	h := &hostileHub{ln, answer, pieces}
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go h.serve(conn)
		}
	}()
	return h
}

func (h *hostileHub) serve(conn net.Conn) {
	defer conn.Close()
	var got []byte
	for space := make([]byte, 4<<10); ; {
		n, err := conn.Read(space)
		if err != nil {
			return
		}
		for got = append(got, space[:n]...); len(got) > 0; {
			parsed, used, err := resptest.Parse(got)
			if err != nil {
				break
			}
			got = got[used:]
			words := parsed.([]any)
			reply, ends := strings.CutSuffix(h.reply(strings.ToUpper(words[0].(string)), words), closes)
			for step := max(1, h.pieces); h.pieces > 0 && len(reply) > step; reply = reply[step:] {
				_, _ = io.WriteString(conn, reply[:step])
			}
			if _, err := io.WriteString(conn, reply); err != nil || ends {
				return
			}
		}
	}
}

// reply returns what an honest hub says to the sidecar's own commands, unless the function chooses.
func (h *hostileHub) reply(name string, words []any) string {
	if reply := h.answer(name, words); reply != "default" {
		return reply
	}
	switch name {
	case "PING":
		return "+PONG\r\n"
	case "INFO":
		return "$30\r\n# Clients\r\nconnected_clients:1\r\n"
	case "GET":
		return fmt.Sprintf("$%d\r\n%s\r\n", len(words[1].(string)), words[1])
	case "CL.THROTTLE", "CL.CHECK":
		return "*5\r\n:0\r\n:1000\r\n:999\r\n:-1\r\n:60000\r\n"
	}
	return "+OK\r\n"
}

// only lets a hub answer one command in a way of its own.
func only(command, reply string) func(string, []any) string {
	return func(name string, _ []any) string {
		if name == command {
			return reply
		}
		return "default"
	}
}

// TestSidecarOfHostileHubs: whatever a hub says to one command, other clients have their own replies, and no question without an
// answer allows a request.
func TestSidecarOfHostileHubs(t *testing.T) {
	const most = "9223372036854775807"
	explained := func(limits int) string {
		return fmt.Sprintf("*3\r\n:0\r\n:-1\r\n*9\r\n:0\r\n:9\r\n:8\r\n:-1\r\n:1\r\n$0\r\n\r\n$9\r\nCL.WINDOW\r\n*%d\r\n*9\r\n"+
			"$0\r\n\r\n$9\r\nCL.WINDOW\r\n:0\r\n:9\r\n:8\r\n:-1\r\n:1\r\n:1\r\n$0\r\n\r\n"+strings.Repeat("$0\r\n\r\n", limits-1)+":0\r\n", limits)
	}
	numbers := func(all ...any) string {
		return fmt.Sprintf("*%d\r\n"+strings.Repeat(":%v\r\n", len(all)), append([]any{len(all)}, all...)...)
	}
	for _, hub := range []struct {
		name    string
		pieces  int
		answer  func(string, []any) string
		command string // of the client; it gets a reply, or its connection ends
	}{
		{"a text for numbers", 0, only("CL.THROTTLE", "+OK\r\n"), "CL.THROTTLE k 999 1000 60"},
		{"a short array", 0, only("CL.THROTTLE", numbers(0, 1, 2)), "CL.THROTTLE k 999 1000 60"},
		{"a long array", 0, only("CL.THROTTLE", numbers(make([]any, 5000)...)), "CL.THROTTLE k 999 1000 60"},
		{"arrays in an array", 0, only("CL.THROTTLE", strings.Repeat("*1\r\n", 5000)+":1\r\n"), "CL.THROTTLE k 999 1000 60"},
		{"numbers that are too large", 0, only("CL.THROTTLE", numbers(0, most+"0", 1, 1, 1)), "CL.THROTTLE k 999 1000 60"},
		{"the largest numbers", 0, only("CL.THROTTLE", numbers(0, most, most, most, most)), "CL.THROTTLE k 999 1000 60"},
		{"a lease that is a text", 0, only("CL.LEASE", "$3\r\nNaN\r\n"), "CL.THROTTLE k 999 1000 60"},
		{"a lease of too few words", 0, only("CL.LEASE", numbers(5, 1000, 999)), "CL.THROTTLE k 999 1000 60"},
		{"a negative lease", 0, only("CL.LEASE", numbers(-5, -1, -1, -1, -1, -1000, -1)), "CL.THROTTLE k 999 1000 60"},
		{"the largest lease", 0, only("CL.LEASE", numbers(most, most, most, most, most, most, most)), "CL.THROTTLE k 999 1000 60"},
		{"a lease that is never answered", 0, only("CL.LEASE", ""), "CL.THROTTLE k 999 1000 60"},
		{"the end in a lease", 0, only("CL.LEASE", "*7\r\n:5\r\n:10"+closes), "CL.THROTTLE k 999 1000 60"},
		{"a message nobody asked for", 0, only("CL.LEASE", ">1\r\n+x\r\n"), "CL.THROTTLE k 999 1000 60"},
		{"the end in a reply", 0, only("HGETALL", "*2\r\n$1\r\na\r\n$5\r\nab"+closes), "HGETALL h"},
		{"a length without an end", 0, only("HGETALL", "*1\r\n$1000000000\r\n"+closes), "HGETALL h"},
		{"another node leads, always", 0, only("HGETALL", "-MOVED 1 127.0.0.1:1\r\n"), "HGETALL h"},
		{"one byte at a time", 1, only("", ""), "HGETALL h"},
		{"a right without a reason", 0, only("CONFIG", "-NOPERM\r\n"), "CONFIG GET port"},
		{"a number for INFO", 0, only("INFO", ":1\r\n"), "INFO"},
		{"an empty INFO", 0, only("INFO", "$0\r\n\r\n"), "INFO"},
		{"a transaction of another length", 0, only("EXEC", numbers(1, 2, 3)), "MULTI|SET a 1|EXEC"},
		{"a transaction of no replies", 0, only("EXEC", ":1\r\n"), "MULTI|SET a 1|EXEC"},
		{"a login that is no text", 0, only("AUTH", "*0\r\n"), "AUTH ann a"},
		{"more limits than there are", 0, only("CL.MCHECK", explained(50)), "POST /check/api?key=k"},
		{"no rule", 0, only("CL.MCHECK", numbers(0, -1, 1)), "POST /check/api?key=k"},
		{"an empty answer", 0, only("CL.MCHECK", "*0\r\n"), "POST /check/api?key=k"},
		{"a number for an answer", 0, only("CL.MCHECK", ":-1\r\n"), "POST /check/api?key=k"},
		{"an empty decision", 0, only("CL.THROTTLE", "*0\r\n"), `POST /throttle {"key":"k","max_burst":9,"count":1,"period":60}`},
		{"a huge reply", 0, only("CL.THROTTLE", "$70000000\r\n"+strings.Repeat("x", 70_000_000)+"\r\n"), `POST /throttle {"key":"k","max_burst":9,"count":1,"period":60}`},
	} {
		t.Run(hub.name, func(t *testing.T) {
			h := newHostileHub(t, hub.pieces, hub.answer)
			side := start(t, "--upstream", h.ln.Addr().String(), "--upstream-timeout", "500", "--http-port", strconv.Itoa(porttest.Free(t)))
			other := side.dial(t)
			if path, is := strings.CutPrefix(hub.command, "POST "); is {
				path, body, _ := strings.Cut(path, " ")
				reply, err := http.Post("http://"+side.api.Plain.Address()+path, "application/json", strings.NewReader(body))
				require.NoError(t, err)
				text, _ := io.ReadAll(reply.Body)
				reply.Body.Close()
				require.Contains(t, []int{http.StatusTooManyRequests, http.StatusServiceUnavailable}, reply.StatusCode, string(text))
			} else {
				askHostile(t, side, strings.Split(hub.command, "|"))
			}
			for i := range 5 {
				switch reply := other.Do("GET", fmt.Sprint("mine", i)).(type) {
				case resptest.Error:
					require.Contains(t, reply, "NOHUB", "its connection to the hub ended")
				default:
					require.Equal(t, fmt.Sprint("mine", i), reply)
				}
			}
			require.Contains(t, other.Do("INFO", "sidecar"), "upstream_mode:exact")
			require.NotContains(t, side.log.String(), "panic")
		})
	}
}

// TestRightsAreOfTheirUser: the hub does not answer the question about INFO, and wants a password for a moment. INFO does
// not run again then. What the sidecar assumes about it is not true of the next user of the connection.
func TestRightsAreOfTheirUser(t *testing.T) {
	var closed, refuses atomic.Bool
	h := newHostileHub(t, 0, func(name string, words []any) string {
		switch {
		case name == "INFO" && words[1] == "commandstats" && refuses.Load():
			return "-NOPERM User ann has no permissions to run the 'info' command\r\n"
		case name == "INFO" && words[1] == "commandstats":
			closed.Store(true)
			return ""
		case (name == "PING" || name == "INFO") && closed.Load():
			return "-NOAUTH Authentication required.\r\n"
		}
		return "default"
	})
	c := start(t, "--upstream", h.ln.Addr().String(), "--upstream-timeout", "100").dial(t)
	reply, _ := c.Do("INFO").(resptest.Error)
	require.Contains(t, reply, "NOAUTH")
	closed.Store(false)
	refuses.Store(true)
	require.EqualValues(t, "OK", c.Do("AUTH", "ann", "a"))
	reply, _ = c.Do("INFO").(resptest.Error)
	require.Contains(t, reply, "NOPERM")
}

// TestReadsOfHostileHubs: whatever a hub says to a question of the page, there is an answer, and no panic.
func TestReadsOfHostileHubs(t *testing.T) {
	nested := func(name string) string {
		return strings.Repeat(fmt.Sprintf("*2\r\n$%d\r\n%s\r\n", len(name), name), 100_000) + ":1\r\n"
	}
	for command, path := range map[string]string{
		"CL.EXPLAIN": "/explain/api?key=k", "CL.RULE": "/rules", "CL.TOP": "/status", "CL.STATUS": "/status", "CL.MCHECK": "/check/api?key=k",
	} {
		for _, answer := range []string{
			":-1\r\n", "*0\r\n", "$-1\r\n", ":1000000000000\r\n", "+text\r\n", "*1\r\n*4\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n:1000000000000\r\n",
			"*1\r\n*9\r\n" + strings.Repeat("$1\r\na\r\n", 3) + "*0\r\n" + strings.Repeat("$1\r\na\r\n", 5),
			"*2\r\n$6\r\nlimits\r\n:1000000000000\r\n", nested("state"), "*2\r\n$6\r\nlimits\r\n*1\r\n" + nested("state"),
		} {
			h := newHostileHub(t, 0, only(command, answer))
			side := start(t, "--upstream", h.ln.Addr().String(), "--upstream-timeout", "500", "--http-port", strconv.Itoa(porttest.Free(t)))
			reply, err := (&http.Client{Timeout: 30 * time.Second}).Get("http://" + side.api.Plain.Address() + path)
			require.NoError(t, err, "%s %.80q", command, answer)
			reply.Body.Close()
			require.NotContains(t, side.log.String(), "panic", "%s %.80q", command, answer)
		}
	}
}

// askHostile sends commands between two others, and reads all replies. They come in their order, or the connection ends.
func askHostile(t *testing.T, side *instance, all []string) {
	nc, err := net.Dial("tcp", side.Addr().String())
	require.NoError(t, err)
	c := resptest.New(t, nc)
	defer c.Close()
	written, replies := resptest.Command("GET", "before"), 1
	for range 30 { // the key becomes hot
		for _, command := range all {
			written = append(written, resptest.Command(fields(command)...)...)
			replies++
		}
	}
	c.Write(append(written, resptest.Command("GET", "after")...))
	for i := range replies {
		reply, err := c.TryRecv()
		if err != nil {
			require.NotErrorIs(t, err, net.ErrClosed)
			return
		}
		if i == 0 && !strings.Contains(fmt.Sprint(reply), "NOHUB") {
			require.Equal(t, "before", reply)
		}
	}
	last, err := c.TryRecv()
	if err == nil && !strings.Contains(fmt.Sprint(last), "NOHUB") {
		require.Equal(t, "after", last)
	}
}
