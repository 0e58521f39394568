package page

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"
	"github.com/stretchr/testify/require"
)

// ticksPerSecond is that of /proc on Linux.
const ticksPerSecond = 100

// cpu returns the processor time that the server has used.
func (s *server) cpu() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.process.Pid))
	require.NoError(s.t, err)
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+2:]))
	ticks := 0
	for _, field := range fields[11:13] { // utime and stime
		n, err := strconv.Atoi(field)
		require.NoError(s.t, err)
		ticks += n
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond
}

// heap returns the bytes of objects in the page that are in use, and the number of its elements.
func (b *browser) heap() (bytes, elements float64) {
	call(b, heapprofiler.CollectGarbage, cdp.Empty{})
	return call(b, runtime.GetHeapUsage, cdp.Empty{}).UsedSize, eval[float64](b, `document.querySelectorAll("*").length`)
}

// TestCost: an open page costs the server little, and its memory does not grow. PAGE_SECONDS is how long it is open. The
// history of the page is full after five minutes, so the second half of an hour must add nothing.
func TestCost(t *testing.T) {
	seconds := 5
	if given := os.Getenv("PAGE_SECONDS"); given != "" {
		var err error
		seconds, err = strconv.Atoi(given)
		require.NoError(t, err)
	}
	open := time.Duration(seconds) * time.Second
	s := start(t, "--http-page-keys", "yes")
	s.rules()
	for n := range 200 { // many rules, as a large service has
		require.Equal(t, "+OK\r\n", s.do(fmt.Sprintf("CL.RULE SET service-%d CL.THROTTLE 100 200 60 AND CL.WINDOW 5000 3600", n)))
	}
	b := browse(t)
	alone := min(open, 2*time.Minute)
	idle := s.uses(alone)
	b.open(s.page)
	b.wait(`document.querySelectorAll("#rules tbody tr").length === 100 && document.querySelector("#decisions").textContent === "0"`)
	time.Sleep(2 * time.Second)
	bytesBefore, elementsBefore := b.heap()
	used := s.uses(open / 2)
	bytesBetween, _ := b.heap()
	used += s.uses(open / 2)
	bytesAfter, elementsAfter := b.heap()
	more := used.Seconds() - idle.Seconds()*open.Seconds()/alone.Seconds()
	t.Logf("the server used %v in %v alone, and %v in %v with the page, which is %.2f %% of a core more; the page has %.0f kB, then %.0f kB and then %.0f kB",
		idle, alone, used, open, 100*more/open.Seconds(), bytesBefore/1000, bytesBetween/1000, bytesAfter/1000)
	require.Less(t, more, 0.01*open.Seconds()+0.05, "1 % of a core, and what the clock of /proc rounds")
	require.Equal(t, elementsBefore, elementsAfter)
	require.Less(t, bytesAfter-bytesBefore, 600_000.0)
	if open >= 20*time.Minute {
		require.Less(t, bytesAfter-bytesBetween, 100_000.0)
	}
	b.quiet()
}

// uses returns the processor time that the server uses in some time.
func (s *server) uses(in time.Duration) time.Duration {
	begun := s.cpu()
	time.Sleep(in)
	return s.cpu() - begun
}
