package attacks

import (
	"fmt"
	"regexp"
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

// times matches the seconds in a reply. All other numbers have one digit.
var times = regexp.MustCompile(`[0-9]{2,}`)

// withoutTimes returns a line of takeAll without the times of its reply, which pass while a slow machine runs the test.
func withoutTimes(line string) string {
	command, reply, _ := strings.Cut(line, ": ")
	return command + ": " + times.ReplaceAllString(reply, "…")
}

// TestAClockThatWasWrong sets the wall clock ten years ahead, uses every limiter, and sets the clock back, also with a restart.
// No key lasts longer than its own period, a limit that was used up stays so, and no value of a user changes.
func TestAClockThatWasWrong(t *testing.T) {
	const aligned = 30 * time.Minute // of the windows of takeAll; none ends during the test
	for time.Until(time.Now().Truncate(aligned).Add(aligned)) < time.Minute {
		time.Sleep(time.Second)
	}
	s := start(t, "--appendonly", "yes", "--appendfsync", "always")
	s.guard(256 << 20)
	c := s.dial()
	step := func(nanos int64) {
		require.Equal(t, resptest.Simple("OK"), c.Do("DEBUG", "CLOCK", "STEP", nanos))
	}
	step(tenYears)
	takeAll(c)
	before := takeAll(c)
	second := c.Do("TIME").([]any)[0].(string)
	micros := second + "500000"
	c.Do("ZADD", "appointments", micros, "ann")
	c.Do("EXPIRE", "appointments", 3000)
	c.Do("SET", "text", micros+"000 5", "EX", 3000)
	mine := func(c *resptest.Client) {
		t.Helper()
		require.Equal(t, micros, c.Do("ZSCORE", "appointments", "ann"))
		require.Equal(t, micros+"000 5", c.Do("GET", "text"))
	}
	step(-tenYears)
	require.Equal(t, "1", s.info("clock_steps_back"))
	require.Eventually(t, func() bool { return strings.Contains(s.Printed(), "the clock was set back") }, patience, time.Millisecond)
	wall, _ := strconv.ParseInt(c.Do("TIME").([]any)[0].(string), 10, 64)
	require.InDelta(t, time.Now().Unix(), wall, 60, "TIME and absolute expiries are those of the wall clock")
	require.Equal(t, resptest.Simple("OK"), c.Do("SET", "at", 1, "EXAT", wall+1000))
	require.InDelta(t, 1000, c.Do("TTL", "at"), 60)
	require.EqualValues(t, wall+1000, c.Do("EXPIRETIME", "at"))
	limits := func(c *resptest.Client) {
		t.Helper()
		keys := c.Do("KEYS", "*").([]any)
		require.GreaterOrEqual(t, len(keys), 9)
		for _, key := range keys {
			ttl := c.Do("PTTL", key).(int64)
			require.Positive(t, ttl, key)
			require.LessOrEqual(t, ttl, int64(3601_500), key) // the log notes the second
		}
		for i, after := range takeAll(c) {
			require.Equal(t, withoutTimes(before[i]), withoutTimes(after))
		}
	}
	limits(c)
	mine(c)
	require.NoError(t, s.Cmd.Process.Signal(syscall.SIGKILL))
	<-s.Done
	again := launch(t, binary, s.dir, []string{"--enable-debug-command", "yes", "--appendonly", "yes"})
	limits(again.dial())
	mine(again.dial())
	require.Equal(t, "0", again.info("clock_steps_back"))
	ahead, err := strconv.ParseInt(again.info("clock_ahead_seconds"), 10, 64)
	require.NoError(t, err)
	require.InDelta(t, tenYears/1e9, ahead, 60)

	// The clock is right again: nothing has changed.
	c = again.dial()
	require.Equal(t, resptest.Simple("OK"), c.Do("DEBUG", "CLOCK", "STEP", tenYears))
	limits(c)
	mine(c)

	// A step within clock-step-limit is followed, and with 0 every step.
	ttl := func() int64 { return c.Do("PTTL", "window").(int64) }
	begun, was := time.Now(), ttl()
	require.Equal(t, resptest.Simple("OK"), c.Do("DEBUG", "CLOCK", "STEP", int64(-9*time.Second)))
	require.Greater(t, ttl()+time.Since(begun).Milliseconds(), was+8000)
	require.Equal(t, resptest.Simple("OK"), c.Do("CONFIG", "SET", "clock-step-limit", 0))
	require.Equal(t, resptest.Simple("OK"), c.Do("DEBUG", "CLOCK", "STEP", -tenYears))
	require.Greater(t, ttl(), tenYears/1e6)
	require.Equal(t, "0", again.info("clock_steps_back"))
}

// TestAClockThatIsRightAgain sets the clock an hour back, and then right. Every key is as it was, however short its time to
// live is, and a used limit stays used.
func TestAClockThatIsRightAgain(t *testing.T) {
	s := start(t, "--appendonly", "yes")
	s.guard(256 << 20)
	c := s.dial()
	c.Do("SET", "short", "v", "EX", 60)
	first := c.Do("CL.THROTTLE", "user", 0, 1, 60).([]any)
	require.Equal(t, int64(0), first[0])
	for _, step := range []time.Duration{-time.Hour, time.Hour} {
		require.Equal(t, resptest.Simple("OK"), c.Do("DEBUG", "CLOCK", "STEP", int64(step)))
		require.Equal(t, int64(1), c.Do("CL.THROTTLE", "user", 0, 1, 60).([]any)[0])
		ttl := c.Do("TTL", "short").(int64)
		require.Greater(t, ttl, int64(30))
		require.LessOrEqual(t, ttl, int64(60))
	}
}

// TestAStepUnderLoad sets the clock back again and again while clients use limits. A limit of one in eleven days lets one
// action pass.
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
					if i >= keys { // each limit was asked, however slow the machine is
						return
					}
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
