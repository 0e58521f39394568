package contest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// cpu returns the processor time of a process in user and kernel mode, with its ended threads. It is utime
// + stime of /proc/PID/stat, but in nanoseconds instead of hundredths of a second.
func cpu(t testing.TB, pid int) time.Duration {
	const perProcess = 2 // the clock of another process: clock_getcpuclockid(3)
	var spent unix.Timespec
	require.NoError(t, unix.ClockGettime(^int32(pid)<<3|perProcess, &spent))
	return time.Duration(spent.Nano())
}

// othersTime returns the processor time that this program and its servers did not get. It sums all other
// processes, the children that they waited for, and the time that the hypervisor gave to other machines.
// Only its growth has a meaning. Kernel threads do not count, because they may work for the servers.
func othersTime(t testing.TB, servers []int) (total time.Duration) {
	system, err := os.ReadFile("/proc/stat")
	require.NoError(t, err)
	total = ticks(t, strings.Fields(string(system))[8:9]) // stolen time
	entries, err := os.ReadDir("/proc")
	require.NoError(t, err)
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() || slices.Contains(servers, pid) {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // the process has ended, and its parent's time includes its time now
		}
		// The name in parentheses may contain spaces and parentheses.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		const kthreadd = "2"
		if parent := fields[1]; entry.Name() != kthreadd && parent != kthreadd {
			total += ticks(t, fields[11:15])
		}
	}
	return total
}

// ticks returns the sum of times in /proc. USER_HZ is 100 on every architecture that Go supports.
func ticks(t testing.TB, fields []string) (sum time.Duration) {
	for _, field := range fields {
		n, err := strconv.Atoi(field)
		require.NoError(t, err)
		sum += time.Duration(n) * 10 * time.Millisecond
	}
	return sum
}
