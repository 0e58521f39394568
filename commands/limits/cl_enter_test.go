package limits

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// enter lets calls a0, a1, … begin.
func enter(h *servertest.Harness, n int, options string) {
	for i := range n {
		require.EqualValues(h.T, 0, h.Do(fmt.Sprint("CL.ENTER k 60 a", i, " ", options)).([]any)[0])
	}
}

// TestClEnter takes permits up to the limit of the start. The reply is that of CL.ACQUIRE.
func TestClEnter(t *testing.T) {
	h := servertest.New(t)
	const start = " START 2 BETWEEN 1 10"
	h.Want("CL.ENTER k 10 a"+start+" PEEK", []any{0, 2, 1, -1, 10})
	h.Want("EXISTS k {k}:adaptive", 0)
	h.Want("CL.ENTER k 10 a"+start, []any{0, 2, 1, -1, 10})
	h.Want("CL.ENTER k 20 b"+start+" MS", []any{0, 2, 0, -1, 20000})
	h.Want("CL.ENTER k 10 c"+start+" MS", []any{1, 2, 0, 10000, 20000})
	h.Advance(time.Second)
	h.Want("CL.ENTER k 10 a"+start, []any{0, 2, 0, -1, 19})
	h.Want("CL.RELEASE k b", 1)
	h.Want("CL.ENTER k 10 c"+start, []any{0, 2, 0, -1, 10})
	h.Advance(10 * time.Second)
	h.Want("CL.LEAVE k c 0.1", []any{0, 2})
	h.Want("GET {k}:adaptive", "adaptive1 GRADIENT 131072 0 0 0 0 0")
	h.Want("CL.TOP", []any{[]any{"k", 1, 0}})
}

// TestClEnterOneSample: with WINDOW 0 each sample is a window.
func TestClEnterOneSample(t *testing.T) {
	h := servertest.New(t)
	for _, story := range []struct {
		options string
		calls   int
		leave   string
		limit   int
	}{
		{"AIMD 0.1 WINDOW 0", 10, "0.02", 21},
		{"AIMD 0.1 WINDOW 0", 9, "0.02", 20},
		{"AIMD 0.1 WINDOW 0 START 30", 20, "0 DROP", 27},
		{"AIMD 0.1 WINDOW 0 START 30", 20, "0.2 IGNORE", 30},
		{"AIMD 0.1 WINDOW 0 START 30", 20, "101 MS", 27},
		{"AIMD 0.1 WINDOW 0 START 21 BETWEEN 1 21", 20, "0.02", 21},
		{"VEGAS WINDOW 0 START 10", 8, "0.01", 10},
		{"GRADIENT2 WINDOW 0", 10, "0.02", 20},
		{"GRADIENT WINDOW 0", 20, "0.02", 22},
		{"GRADIENT WINDOW 0", 13, "0.02", 20},
	} {
		h.Do("FLUSHALL")
		enter(h, story.calls, story.options)
		h.Want("CL.LEAVE k a0 "+story.leave, []any{1, story.limit})
		h.Want("CL.LEAVE k a0 "+story.leave, []any{0, story.limit})
	}
}

// TestClEnterGrows: the limit grows once a window while all of it is used, and callers are refused.
func TestClEnterGrows(t *testing.T) {
	h := servertest.New(t)
	enter(h, 20, "")
	for _, want := range []int{30, 45, 67, 101, 151, 227, 341, 512, 768, 1000} {
		h.Do("CL.ENTER k 60 more")
		for i := range 10 {
			h.Do(fmt.Sprint("CL.LEAVE k a", i, " 0.02"))
		}
		h.Advance(time.Second)
		enter(h, want, "")
		require.EqualValues(t, want, h.Do("CL.ENTER k 60 more").([]any)[1])
	}
}

// TestClEnterFewSamples: a window with fewer than ten samples changes nothing, and a state stays while it is in use.
func TestClEnterFewSamples(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.ENTER k 60 a BETWEEN 1 20")
	for range 1300 {
		for i := range 10 {
			h.Do(fmt.Sprint("CL.ENTER k 60 b", i, " BETWEEN 1 20"))
			h.Do(fmt.Sprint("CL.LEAVE k b", i, " 0.02"))
		}
		h.Advance(time.Second)
	}
	h.Want("STRLEN {k}:adaptive", 43)
	require.Greater(t, h.Do("TTL {k}:adaptive").(int64), int64(290))
	h.Want("SET {k}:adaptive 'adaptive1 GRADIENT 655360 0 0 0 0 0'", ok)
	h.Do("CL.ENTER k 60 b1")
	for range 9 {
		h.Do("CL.ENTER k 60 b1")
		h.Do("CL.LEAVE k b1 0.02 DROP")
	}
	h.Advance(time.Second)
	require.EqualValues(t, 10, h.Do("CL.ENTER k 60 a").([]any)[1])
}

// TestClEnterUpTo: a less important call gives way before the limit is reached.
func TestClEnterUpTo(t *testing.T) {
	h := servertest.New(t)
	const options = "START 10 UPTO "
	enter(h, 5, options+"50")
	h.Want("CL.ENTER k 60 x START 10 UPTO 50", []any{1, 10, 0, 60, 60})
	h.Want("CL.ENTER k 60 y START 10 UPTO 51", []any{0, 10, 0, -1, 60})
	h.Want("CL.ENTER k 60 z START 10", []any{0, 10, 3, -1, 60})
}

// TestClEnterPartitions: a partition may use the room of others, and others keep their share.
func TestClEnterPartitions(t *testing.T) {
	h := servertest.New(t)
	const batch, live = " START 10 PARTITION batch OF live 70 batch 30", " START 10 PARTITION live OF live 70 batch 30"
	in := func(name, options string) any { return h.Do("CL.ENTER k 60 " + name + options).([]any)[0] }
	for i := range 10 {
		require.EqualValues(t, 0, in(fmt.Sprint("b", i), batch))
	}
	require.EqualValues(t, 1, in("b10", batch))
	for i := range 7 {
		require.EqualValues(t, 0, in(fmt.Sprint("l", i), live))
	}
	require.EqualValues(t, 1, in("l7", live))
	require.EqualValues(t, 1, in("x", " START 10"))
	h.Want("ZCARD {k}:batch", 10)
	h.Want("CL.LEAVE k l3 0.01", []any{1, 10})
	require.EqualValues(t, 0, in("l8", live))
	h.Want("CL.LEAVE k b3 0.01", []any{1, 10})
	require.EqualValues(t, 1, in("b11", batch), "16 of 10 are under way, and batch has 9 of its 3")
	require.Equal(t, []any{[]any{"name", "live", "percent", int64(70), "inflight", int64(7)},
		[]any{"name", "batch", "percent", int64(30), "inflight", int64(9)}}, texts(h.Do("CL.LIMIT k").([]any)[21]))
	// Others take other partitions. The calls of those that are gone still count.
	require.EqualValues(t, 1, in("n", " START 10"))
	require.EqualValues(t, 0, in("n", " START 10 PARTITION new OF new 10"))
	h.Want("GET {k}:adaptive", "adaptive1 GRADIENT 655360 0 0 0 0 0 new 10 live 0 batch 0")
	h.Want("CL.LEAVE k l8 0.01", []any{1, 10})
}

// texts makes the bulk strings of a reply strings.
func texts(reply any) any {
	switch r := reply.(type) {
	case []any:
		for i := range r {
			r[i] = texts(r[i])
		}
	case []byte:
		return string(r)
	}
	return reply
}

// TestClEnterErrors name the argument, repeat the word and say what may stand there. They change nothing.
func TestClEnterErrors(t *testing.T) {
	h := servertest.New(t)
	for line, want := range map[string]string{
		"CL.ENTER k x a":                                  "ERR lease 'x' is not a number of seconds",
		"CL.ENTER k 0 a":                                  "ERR lease '0' must be at least a microsecond",
		"CL.ENTER k 1 ''":                                 "ERR holder must not be empty",
		"CL.ENTER k 9223372036 a":                         "ERR lease '9223372036' is too long",
		"CL.ENTER k 1 a FAST":                             "ERR syntax error: 'FAST' is not an option of CL.ENTER: use AIMD, VEGAS",
		"CL.ENTER k 1 a AIMD":                             "ERR syntax error: 'AIMD' needs a number of seconds after it",
		"CL.ENTER k 1 a AIMD 0":                           "ERR latency '0' must be positive",
		"CL.ENTER k 1 a AIMD 1 VEGAS":                     "ERR syntax error: 'VEGAS' is a second algorithm",
		"CL.ENTER k 1 a VEGAS VEGAS":                      "ERR syntax error: 'VEGAS' repeats",
		"CL.ENTER k 1 a BETWEEN 1":                        "ERR syntax error: 'BETWEEN' needs two integers after it",
		"CL.ENTER k 1 a BETWEEN 0 5":                      "ERR least '0' must be from 1 to 100000",
		"CL.ENTER k 1 a BETWEEN 5 4":                      "ERR most '4' must be from least to 100000",
		"CL.ENTER k 1 a START 100001":                     "ERR start '100001' must be from 1 to 100000",
		"CL.ENTER k 1 a WINDOW 0.05":                      "ERR window '0.05' must be from 0.1 to 60 seconds, or 0",
		"CL.ENTER k 1 a WINDOW 61":                        "ERR window '61' must be",
		"CL.ENTER k 1 a TOLERANCE 100":                    "ERR tolerance '100' must be from 101 to 400 percent",
		"CL.ENTER k 1 a UPTO 0":                           "ERR upto '0' must be from 1 to 100 percent",
		"CL.ENTER k 1 a PARTITION a OF b 10":              "ERR partition 'a' is not among the names after OF",
		"CL.ENTER k 1 a PARTITION a IN a 10":              "ERR syntax error: 'PARTITION' needs OF after the name, not 'IN'",
		"CL.ENTER k 1 a PARTITION a OF a 0":               "ERR percent '0' must be from 1 to 100",
		"CL.ENTER k 1 a PARTITION a OF a 60 b 60":         "ERR the partitions have 120 percent together: use at most 100",
		"CL.ENTER k 1 a PARTITION a OF a 10 a 10":         "ERR syntax error: the partition 'a' repeats",
		"CL.ENTER k 1 a PARTITION adaptive OF adaptive 9": "ERR partition 'adaptive' is reserved for the state of the limit: use another name, of 1 to 32 letters",
		"CL.ENTER k 1 a PARTITION a OF a 9 adaptive 9":    "ERR name 'adaptive' is reserved for the state of the limit: use another name, of 1 to 32 letters",
		"CL.ENTER k 1 a PARTITION ms OF ms 9":             "ERR partition 'ms' is an option of CL.ENTER, and no partition: use another name, of 1 to 32 letters",
		"CL.ENTER k 1 a PARTITION Start OF a 9":           "ERR partition 'Start' is an option of CL.ENTER, and no partition: use another name",
		"CL.ENTER k 1 a PARTITION a OF a 9 ms 9":          "ERR syntax error: '9' is not an option of CL.ENTER, and no partition may have the name of one: use AIMD",
		"CL.ENTER k 1 a PARTITION a OF a 9 b! 9":          "ERR name 'b!' is not the name of a partition: use another name, of 1 to 32 letters, digits, and the signs _ . -",
		"CL.ENTER k 1 a PARTITION a OF a 9 '' 9":          "ERR name '' is not the name of a partition: use another name",
		"CL.ENTER }{ 1 a":                                 "ERR key must have no braces, or a hash tag such as {user}",
		"CL.ENTER '' 1 a":                                 "ERR key must have no braces",
		"CL.LEAVE k a x":                                  "ERR syntax error: 'x' is not an option of CL.LEAVE: use a latency in seconds first, OK, DROP",
		"CL.LEAVE k a -1":                                 "ERR latency '-1' is not a number of seconds",
		"CL.LEAVE k a OK DROP":                            "ERR syntax error: 'DROP' is a second end of the call",
		"CL.LEAVE k a MS":                                 "ERR syntax error: 'MS' needs a latency before it",
		"CL.LEAVE k a 1 MS MS":                            "ERR syntax error: 'MS' repeats",
	} {
		err, is := h.Do(line).(error)
		require.True(t, is, line)
		require.True(t, strings.HasPrefix(err.Error(), want), "%s: %v", line, err)
	}
	h.Want("DBSIZE", 0)
	many := "CL.ENTER k 1 a PARTITION p1 OF"
	for i := range 9 {
		many += fmt.Sprint(" p", i, " 1")
	}
	h.Want(many, commands.Error("ERR a limit has at most 8 partitions: a partition that is gone stays until its calls have ended"))
}

// TestClEnterOtherValues: a key that a client wrote is not the state of a limit. It is an error, and nothing changes.
func TestClEnterOtherValues(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.ENTER k 60 a")
	h.Advance(time.Second) // the end of a window reads the state
	for _, value := range []string{
		"", "5", "x", "adaptive1", "adaptive1 GRADIENT", "adaptive1 GRADIENT 1310720 0 0 0 0",
		"adaptive1 GRADIENT 1310720 0 0 0 0 2", "adaptive1 GRADIENT 0 0 0 0 0 0", "adaptive1 GRADIENT 65535 0 0 0 0 0",
		"adaptive1 GRADIENT 6553600001 0 0 0 0 0", "adaptive1 GRADIENT 1310720 -1 0 0 0 0", "adaptive1 AIMD 1310720 1 0 0 0 0",
		"adaptive1 NONE 1310720 0 0 0 0 0", "adaptive2 GRADIENT 1310720 0 0 0 0 0",
		"adaptive1 GRADIENT 1310720 9223372036854775807 0 0 0 0", "adaptive1 VEGAS 1310720 0 9223372036854775807 0 0 0",
		"adaptive1 GRADIENT 1310720 0 0 0 0 0 p", "adaptive1 GRADIENT 1310720 0 0 0 0 0 p 101",
		"adaptive1 GRADIENT 1310720 0 0 0 0 0 p 1 q 1 r 1 s 1 t 1 u 1 v 1 w 1 x 1", "adaptive1 GRADIENT 1310720 0 0 0 0 0 adaptive 5",
		"adaptive1 GRADIENT 99999999999999999999 0 0 0 0 0",
	} {
		h.Want("SET {k}:adaptive '"+value+"'", ok)
		want := commands.Error("ERR the key '{k}:adaptive' holds no state of an adaptive limit: delete it, or use another key for the limit")
		h.Want("CL.ENTER k 60 b", want)
		h.Want("CL.LEAVE k a 1", want)
		h.Want("CL.LIMIT k", want)
		h.Want("GET {k}:adaptive", value)
		h.Want("ZCARD k", 1)
	}
	h.Do("DEL {k}:adaptive")
	h.Do("RPUSH {k}:adaptive x")
	require.Implements(t, (*error)(nil), h.Do("CL.ENTER k 60 b"))
	h.Do("DEL {k}:adaptive k")
	h.Do("ZADD k -inf a 5 b 1e300 c +inf d")
	h.Want("CL.ENTER k 1 e START 3", []any{0, 3, 0, -1, 7299999999})
	h.Do("SET k text")
	h.Want("CL.ENTER k 1 e", commands.ErrWrongType)
	h.Want("CL.LEAVE k e", commands.ErrWrongType)
	h.Do("DEL k")
	h.Do("SET {k}:p text")
	h.Want("CL.ENTER k 1 e PARTITION p OF p 10", commands.ErrWrongType)
}

// TestClEnterFollowsTheState: a connection that has read a state sees each other one.
func TestClEnterFollowsTheState(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.ENTER other 60 a START 5")
	for _, limit := range []int64{10, 20, 10, 1, 10} {
		h.Want(fmt.Sprint("SET {k}:adaptive 'adaptive1 GRADIENT ", limit*65536, " 0 0 0 0 0 p 50'"), ok)
		for range 2 {
			require.Equal(t, limit, h.Do("CL.ENTER k 60 a PEEK").([]any)[1])
			require.EqualValues(t, 5, h.Do("CL.ENTER other 60 a PEEK").([]any)[1])
		}
		require.Equal(t, limit, h.Do("CL.ENTER k 60 a PARTITION q OF q 10 r 10").([]any)[1])
		require.Contains(t, h.Do("GET {k}:adaptive"), " q 10 r 10")
	}
}

// TestClEnterKeysOfOneConnection: the state of a limit lies beside its own key, whatever key the same
// connection asked for before.
func TestClEnterKeysOfOneConnection(t *testing.T) {
	h := servertest.New(t)
	states := map[string]string{
		"api": "{api}:adaptive", "{api}": "{api}:adaptive", "x{b}": "x{b}:adaptive", "b": "{b}:adaptive",
		"ap": "{ap}:adaptive", "{{b}}": "{{b}}:adaptive", "adaptive": "{adaptive}:adaptive",
	}
	for first := range states {
		for second, state := range states {
			h.Do("CL.ENTER " + first + " 60 one")
			h.Do("FLUSHALL")
			h.Do("CL.ENTER " + second + " 60 one")
			require.EqualValues(t, 1, h.Do("EXISTS "+state), "%s after %s", second, first)
		}
	}
}
