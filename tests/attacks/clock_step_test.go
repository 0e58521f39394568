package attacks

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// tenYears is how wrong the clock was, in nanoseconds.
const tenYears = int64(10 * 365 * 24 * time.Hour)

// takeAll asks each limiter for what it has, and returns the replies. The longest wait of all is an hour.
func takeAll(c *resptest.Client) (replies []string) {
	for _, line := range []string{
		"CL.THROTTLE throttle 0 1 3600", "CL.WINDOW window 1 3600", "CL.WINDOW aligned 1 3600 ALIGN", "CL.SLIDING sliding 1 1800",
		"CL.LOG log 1 3600", "CL.PACE pace 0 1 3600 MAXWAIT 0", "CL.ACQUIRE lease 1 3600 holder", "CL.MTHROTTLE 1 many 0 1 3600", "INCREX increx EX 3600 UBOUND 1",
		"GCRA gcra 0 1 3600", "SET string v EX 3600 NX",
	} {
		args := []any{}
		for _, word := range strings.Fields(line) {
			args = append(args, word)
		}
		replies = append(replies, fmt.Sprint(line, ": ", c.Do(args...)))
	}
	return replies
}

// TestAClockThatWasWrong sets the wall clock ten years ahead, uses every limiter, and sets the clock back. Before, every limiter
// but CL.SLIDING refused its users for ten years, also after a restart. Now no key lasts longer than its own period, and a
// limit that was used up stays so.
func TestAClockThatWasWrong(t *testing.T) {
	s := start(t, "--appendonly", "yes", "--appendfsync", "always")
	s.guard(256 << 20)
	c := s.dial()
	step := func(nanos int64) {
		require.Equal(t, resptest.Simple("OK"), c.Do("DEBUG", "CLOCK", "STEP", nanos))
	}
	step(tenYears)
	takeAll(c)
	before := takeAll(c)
	step(-tenYears)
	require.Equal(t, "1", s.info("clock_steps_back"))
	require.Eventually(t, func() bool { return strings.Contains(s.out.String(), "have moved back with the clock") }, patience, time.Millisecond)
	limits := func(c *resptest.Client) {
		t.Helper()
		keys := c.Do("KEYS", "*").([]any)
		require.GreaterOrEqual(t, len(keys), 9)
		for _, key := range keys {
			ttl := c.Do("PTTL", key).(int64)
			require.Positive(t, ttl, key)
			require.LessOrEqual(t, ttl, int64(3600_500), key)
		}
		for i, after := range takeAll(c) {
			limited := func(s string) string { return strings.Join(strings.Fields(s)[:len(strings.Fields(s))-2], " ") } // without the times
			require.Equal(t, limited(before[i]), limited(after))
		}
	}
	limits(c)
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGKILL))
	<-s.done
	again := launch(t, binary, s.dir, []string{"--enable-debug-command", "yes", "--appendonly", "yes"})
	limits(again.dial())
	require.Equal(t, "0", again.info("clock_steps_back"), "the log has the moved times")

	// Steps within clock-step-limit move nothing, and 0 switches the moving off.
	c = again.dial()
	ttl := func() int64 { return c.Do("PTTL", "window").(int64) }
	was := ttl()
	require.Equal(t, resptest.Simple("OK"), c.Do("DEBUG", "CLOCK", "STEP", int64(-9*time.Second)))
	require.Greater(t, ttl(), was+8000)
	require.Equal(t, resptest.Simple("OK"), c.Do("CONFIG", "SET", "clock-step-limit", 0))
	require.Equal(t, resptest.Simple("OK"), c.Do("DEBUG", "CLOCK", "STEP", -tenYears))
	require.Greater(t, ttl(), tenYears/1e6)
	require.Equal(t, "0", again.info("clock_steps_back"))
}

// TestAStepUnderLoad sets the clock back and forth while clients use limits. A limit of one in an hour lets one pass for each
// time that the clock goes on by an hour or more, and never one for a step back.
func TestAStepUnderLoad(t *testing.T) {
	s := start(t, "--appendonly", "no", "--save", "")
	s.guard(256 << 20)
	stop, passed := make(chan struct{}), make(chan int)
	const clients, keys = 4, 200
	for range clients {
		c := s.dial()
		go func() {
			n := 0
			defer func() { passed <- n }()
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				c.Send("CL.THROTTLE", i%keys, 0, 1, 1000000)
				reply, err := c.TryRecv()
				if err != nil {
					return
				}
				if reply.([]any)[0] == int64(0) {
					n++
				}
			}
		}()
	}
	admin := s.dial()
	steps := rounds(20, 200)
	for range steps {
		require.Equal(t, resptest.Simple("OK"), admin.Do("DEBUG", "CLOCK", "STEP", int64(-11*time.Second)))
		time.Sleep(10 * time.Millisecond) // the clients work in real time
	}
	close(stop)
	total := 0
	for range clients {
		total += <-passed
	}
	require.Equal(t, keys, total)
	require.Equal(t, strconv.Itoa(steps), s.info("clock_steps_back"))
}
