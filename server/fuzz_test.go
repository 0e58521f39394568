package server_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"cellserver/commands"
	"cellserver/internal/randtest"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
)

// FuzzCommands runs random lines as commands of one connection. No command may panic or hang, and
// every reply must be complete.
func FuzzCommands(f *testing.F) {
	f.Add([]byte("SET k v EX 10\nGET k\nZADD z 1 a 2 b\nZRANGE z 0 -1 WITHSCORES\nHELLO 3\nZRANGE z (1 +inf BYSCORE LIMIT 0 -1"))
	f.Add([]byte("MULTI\nCL.THROTTLE k 15 30 60\nZMPOP 2 a b MIN\nEXEC\nWATCH k\nCL.PROBE k 1 1 1 -9223372036854775808"))
	f.Add([]byte("CLIENT REPLY SKIP\nCONFIG SET maxmemory 1\nSETRANGE k 99999999 x\nGETRANGE k -1 -9223372036854775808\nSCAN 0 COUNT 9223372036854775807"))
	f.Fuzz(func(t *testing.T, script []byte) {
		h := servertest.New(t)
		runScript(h, t, script)
	})
}

// TestRandomCommands does the same with valid words, so it reaches more code in a short time.
func TestRandomCommands(t *testing.T) {
	h := servertest.New(t)
	r := rand.New(randtest.Source(t))
	words := [][]byte{[]byte("k"), []byte("z"), []byte("0"), []byte("1"), []byte("-1"), []byte("2"), []byte("9223372036854775807"),
		[]byte("-9223372036854775808"), []byte("inf"), []byte("(1"), []byte("[a"), []byte("+"), []byte("-"), []byte("*"), []byte(""), []byte("nan"),
		[]byte("WITHSCORES"), []byte("LIMIT"), []byte("BYSCORE"), []byte("BYLEX"), []byte("REV"), []byte("COUNT"), []byte("EX"), []byte("NX"),
		[]byte("MATCH"), []byte("ON"), []byte("SET"), []byte("GET"), []byte("WEIGHTS"), []byte("AGGREGATE"), []byte("SUM"), []byte("MIN")}
	var names [][]byte
	for _, c := range commands.TopLevel() {
		if c.Name != "debug" && c.Name != "shutdown" {
			names = append(names, []byte(c.Name))
		}
		for _, s := range c.Subs {
			names = append(names, []byte(c.Name+" "+s.Name))
		}
	}
	steps := 200_000
	if testing.Short() {
		steps = 20_000
	}
	for range steps {
		line := bytes.Clone(names[r.IntN(len(names))])
		for range r.IntN(7) {
			line = append(append(line, ' '), words[r.IntN(len(words))]...)
		}
		runScript(h, t, line)
	}
}

// runScript sends each line as one command, split at single spaces.
func runScript(h *servertest.Harness, t *testing.T, script []byte) {
	for line := range bytes.SplitSeq(script, []byte("\n")) {
		if len(line) > 4096 || bytes.HasPrefix(bytes.ToLower(line), []byte("debug panic")) {
			continue
		}
		var args []any
		for word := range bytes.SplitSeq(line, []byte(" ")) {
			args = append(args, word)
		}
		h.Send(resptest.Command(args...))
		out := h.Session.Output()
		for len(out) > 0 {
			_, n, err := resptest.Parse(out)
			if err != nil {
				t.Fatalf("%q: %v: %q", line, err, out)
			}
			out = out[n:]
		}
		h.Session.Sent()
		if n := h.Server.Panics(); n > 0 {
			t.Fatalf("%q panicked", line)
		}
		if h.Status != resp.Continue { // QUIT, or a command that waits
			h.Client = h.NewClient(t)
		}
	}
}
