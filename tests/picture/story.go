package picture

import (
	"fmt"
	"strings"

	"cellserver/resp/resptest"
)

//go:generate go test . -run TestPictureIsCurrent -update

// start is the time of the picture's left edge, in Unix milliseconds. It is a multiple of ten seconds, so an aligned
// window begins there.
const start = 1_790_000_000_000

// traffic returns the times of the requests, in milliseconds from the left edge. Some come before a window's edge, and
// a burst comes after it. Then there is one request per second, and a few come after a pause.
func traffic() []int {
	times := []int{3000}
	add := func(n, from, every int) {
		for i := range n {
			times = append(times, from+every*i)
		}
	}
	add(5, 7000, 600)
	add(12, 10_200, 300)
	add(12, 15_000, 1000)
	add(3, 36_000, 1000)
	return times
}

// row is a limiter in the picture.
type row struct {
	command string // "#" stands for the number of the request
	about   string
	holds   int // milliseconds until an allowed request releases its permit; 0 for none
}

// rows are the limiters. Each one allows 5 in 10 seconds, in its own way.
var rows = []row{
	{command: "CL.THROTTLE k 4 5 10", about: "5 at once, then one every 2 s"},
	{command: "CL.WINDOW k 5 10 ALIGN", about: "windows of the clock: 10 around an edge"},
	{command: "CL.WINDOW k 5 10", about: "windows from the first request on"},
	{command: "CL.SLIDING k 5 10", about: "the window before counts for its part"},
	{command: "CL.LOG k 5 10", about: "never more than 5 in any 10 s"},
	{command: "CL.LOG k 5 10 1 STRICT", about: "limited for as long as it keeps asking too often"},
	{command: "CL.LOG k 5 10 1 GAP 1.5", about: "and 1.5 s between any two"},
	{command: "CL.PACE k 0 5 10 1 MAXWAIT 8", about: "a queue: each waits for its turn, up to 8 s"},
	{command: "CL.ACQUIRE k 3 60 #", about: "3 at a time, each takes 4 s", holds: 4000},
}

// outcome is the result of a request.
type outcome struct {
	at     int // milliseconds from the left edge
	passed bool
	hold   int // milliseconds until the request happens
}

// ask sends a row's requests to a server and sets its clock.
func (r row) ask(c *resptest.Client) (all []outcome, err error) {
	if err := succeeds(c, "FLUSHALL"); err != nil {
		return nil, err
	}
	held := map[int]string{} // by the time of release, the holders
	for i, at := range traffic() {
		if err := r.release(c, held, at); err != nil {
			return nil, err
		}
		if err := setClock(c, at); err != nil {
			return nil, err
		}
		holder := fmt.Sprint("request-", i)
		reply, is := c.Do(words(strings.ReplaceAll(r.command, "#", holder))...).([]any)
		if !is || len(reply) < 5 {
			return nil, fmt.Errorf("%s: %v", r.command, reply)
		}
		one := outcome{at: at, passed: reply[0] == int64(0)}
		if len(reply) == 6 {
			one.hold = int(reply[5].(int64))
		}
		if one.passed && r.holds > 0 {
			held[at+r.holds] = holder
		}
		all = append(all, one)
	}
	return all, nil
}

// release returns the permits whose holders are done at a time.
func (r row) release(c *resptest.Client, held map[int]string, before int) error {
	for at := range before + 1 {
		if holder, is := held[at]; is {
			if err := setClock(c, at); err != nil {
				return err
			}
			if reply := c.Do("CL.RELEASE", "k", holder); reply != int64(1) {
				return fmt.Errorf("CL.RELEASE k %s: %v", holder, reply)
			}
			delete(held, at)
		}
	}
	return nil
}

func setClock(c *resptest.Client, at int) error {
	return succeeds(c, "DEBUG", "CLOCK", "SET", fmt.Sprintf("%d000000", start+at))
}

func succeeds(c *resptest.Client, args ...any) error {
	if reply := c.Do(args...); reply != resptest.Simple("OK") {
		return fmt.Errorf("%v: %v", args, reply)
	}
	return nil
}

func words(line string) (args []any) {
	for _, w := range strings.Fields(line) {
		args = append(args, w)
	}
	return args
}

// most returns the largest number of requests that happened within a span of milliseconds.
func most(all []outcome, span int) (n int) {
	for _, first := range all {
		within := 0
		for _, o := range all {
			if d := o.at + o.hold - first.at - first.hold; o.passed && 0 <= d && d < span {
				within++
			}
		}
		if first.passed {
			n = max(n, within)
		}
	}
	return n
}
