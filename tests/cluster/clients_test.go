package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// library is a client library with its program. The program sends at most sends requests for a call, because some
// libraries send a request again after a lost connection.
type library struct {
	name  string
	argv  []string
	sends int64
}

// libraries are the programs of ../clients, as ../clients/install builds them.
func libraries() []library {
	cache, err := filepath.Abs("../.cache")
	if err != nil {
		panic(err)
	}
	python, goes := []string{cache + "/venv/bin/python", "failover.py"}, []string{cache + "/clients"}
	node, java := []string{"node", "failover.mjs"}, []string{"java", "-cp", cache + "/java/classes:" + cache + "/java/lib/*", "Failover"}
	return []library{
		{"go-redis-cluster", goes, 4},
		{"rueidis-cluster", goes, 1},
		{"redis-py-cluster", python, 4},
		{"node-redis-cluster", node, 17},
		{"ioredis-cluster", node, 17},
		{"jedis-cluster", java, 6},
		{"lettuce-cluster", java, 6},
		{"go-redis-sentinel", goes, 4},
		{"redis-py-sentinel", python, 4},
		{"ioredis-sentinel", node, 21},
		{"redis-cli", python, 1},
		{"rolling-rate-limiter", node, 1},
	}
}

// event is what happens to the cluster while the libraries call it. The first node keeps running where the event allows
// it, because plain clients know this node only.
type event struct {
	name string
	run  func(p *processes)
}

var events = []event{
	{"kill -9", func(p *processes) { p.kill(p.leaderBesideFirst()) }},
	{"CLUSTER FAILOVER", func(p *processes) { p.moveLeader() }},
	{"second kill -9", func(p *processes) { p.kill(p.leaderBesideFirst()) }},
	{"planned stop", func(p *processes) { p.stop(p.leaderBesideFirst()) }},
	{"SIGSTOP", func(p *processes) { p.pause(p.leaderBesideFirst(), 3*nodeTimeout) }},
}

// Client libraries go on after each event with documented errors only, and no reply is wrong.
func TestClientLibraries(t *testing.T) {
	if testing.Short() {
		t.Skip("the client libraries need Node, Python and Java")
	}
	out, err := exec.Command("../clients/install").CombinedOutput()
	require.NoError(t, err, string(out))
	p := start(t, 3)
	var all []*program
	for _, l := range libraries() {
		if only := os.Getenv("ONLY"); only == "" || strings.Contains(" "+only+" ", " "+l.name+" ") {
			all = append(all, startProgram(p, l))
		}
	}
	require.NotEmpty(t, all, "ONLY names no library")
	p.awaitProgress(all)
	for _, e := range events {
		for _, one := range all {
			one.mark(e.name)
		}
		e.run(p)
		p.awaitProgress(all)
		p.heal()
		p.awaitProgress(all)
	}
	for _, one := range all {
		one.stop(t)
	}
	p.requireEqual()
	for _, one := range all {
		t.Run(one.name, func(t *testing.T) { one.check(t, p) })
	}
}

// startProgram starts the program of a library.
func startProgram(p *processes, l library) *program {
	p.t.Helper()
	var addrs []string
	for _, n := range p.nodes {
		addrs = append(addrs, n.addr())
	}
	argv := append(l.argv[1:len(l.argv):len(l.argv)], l.name)
	cmd := exec.Command(l.argv[0], argv...)
	cmd.Dir = "../clients"
	cmd.Env = append(os.Environ(), "NODES="+strings.Join(addrs, ","), fmt.Sprint("PROXY=", p.nodes[0].host, ":", p.nodes[0].proxy))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	one := &program{library: l, cmd: cmd, workers: map[string]*worker{}, errors: map[string]int{}, limits: map[string]*limit{}}
	cmd.Stderr = &one.stderr
	in, err := cmd.StdinPipe()
	require.NoError(p.t, err)
	one.stdin = in
	stdout, err := cmd.StdoutPipe()
	require.NoError(p.t, err)
	require.NoError(p.t, cmd.Start())
	one.ended = make(chan struct{})
	go one.listen(stdout)
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-one.ended
	})
	return one
}

// awaitProgress waits until each worker of each program has got some more replies.
func (p *processes) awaitProgress(all []*program) {
	p.t.Helper()
	before := make([]int, len(all))
	for i, one := range all {
		before[i] = one.leastReplies()
	}
	var stuck []string
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		stuck = nil
		for i, one := range all {
			if one.leastReplies() < before[i]+10 {
				stuck = append(stuck, one.summary())
			}
		}
		if len(stuck) == 0 {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("these do not go on:\n%s", strings.Join(stuck, "\n"))
		}
	}
}

// leaderBesideFirst returns the leader, which is not the first node.
func (p *processes) leaderBesideFirst() int {
	p.t.Helper()
	if p.awaitLeader() == 0 {
		p.moveLeader()
	}
	return p.awaitLeader()
}

// moveLeader makes another node the leader, but not the first one.
func (p *processes) moveLeader() {
	p.t.Helper()
	next := len(p.nodes) - 1
	if p.awaitLeader() == next {
		next--
	}
	p.lead(next)
}

// documented are the errors that a client may get. The first line is what the server says, the others are the words of the
// libraries for a connection that ended, that was refused, or that did not answer.
var documented = regexp.MustCompile(`CLUSTERDOWN|The cluster is down|MOVED|LOADING|MISCONF|READONLY|` +
	`EOF|[Rr]efused|ECONNREFUSED|[Rr]eset by peer|ECONNRESET|Connection reset|[Bb]roken pipe|[Cc]losed|Disconnects client|` +
	`[Tt]imed out|[Tt]imeout|No more cluster attempts left|Cluster retry deadline exceeded|No master found|Unable to connect`)
