package cluster

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

const (
	nodeTimeout = 500 * time.Millisecond
	patience    = 180 * time.Second // for each wait
	answer      = 5 * time.Second   // for one reply
)

// processes are the nodes of a cluster.
type processes struct {
	t        *testing.T
	more     []string // directives of all nodes
	nodes    []*node
	network  *network              // nil: all nodes are on the loopback
	first    int                   // the namespace of the first node
	command  func(i int) *exec.Cmd // starts a node
	env      []string              // of the programs of client libraries, beside that of the test
	password string                // that clients send first, if it is not empty
	restarts restarts              // of the programs of client libraries
}

// node is one process, or the place of one.
type node struct {
	bin     string
	host    string
	port    int
	bus     int // the port for other nodes, of a node of Redis
	proxy   int // the port that passes clients on to the leader
	dir     string
	log     *os.File
	running *exec.Cmd // nil: not running
}

func (n *node) addr() string { return fmt.Sprint(n.host, ":", n.port) }

// start starts a cluster on the loopback, and waits until it serves.
func start(t *testing.T, size int, more ...string) *processes {
	t.Helper()
	p := place(t, size, more...)
	p.begin()
	return p
}

// place gives each node of a cluster on the loopback its ports and its directory. The nodes do not run yet.
func place(t *testing.T, size int, more ...string) *processes {
	t.Helper()
	p := &processes{t: t, more: more}
	p.command = p.commandOfNode
	for range size {
		p.nodes = append(p.nodes, &node{bin: bin, host: "127.0.0.1", port: porttest.Free(t), proxy: porttest.Free(t), dir: t.TempDir()})
	}
	return p
}

// begin starts all nodes, and waits until the cluster serves.
func (p *processes) begin() {
	p.t.Helper()
	for i := range p.nodes {
		p.run(i)
	}
	p.t.Cleanup(p.end)
	p.heal()
}

// run starts the process of a node.
func (p *processes) run(i int) {
	p.t.Helper()
	n := p.nodes[i]
	var err error
	if n.log == nil {
		n.log, err = os.Create(filepath.Join(p.t.TempDir(), "log"))
		require.NoError(p.t, err)
	}
	cmd := p.command(i)
	cmd.Stdout, cmd.Stderr = n.log, n.log
	require.NoError(p.t, cmd.Start())
	n.running = cmd
}

// commandOfNode returns the command that starts a node.
func (p *processes) commandOfNode(i int) *exec.Cmd {
	n := p.nodes[i]
	args := []string{"--port", strconv.Itoa(n.port), "--proxy-port", strconv.Itoa(n.proxy), "--bind", n.host, "--dir", n.dir, "--cluster-enabled", "yes",
		"--cluster-node-timeout", strconv.Itoa(int(nodeTimeout.Milliseconds())), "--cluster-nodes"}
	for _, other := range p.nodes {
		args = append(args, other.addr())
	}
	cmd := exec.Command(n.bin, append(args, p.more...)...)
	if p.network != nil {
		return p.network.command(i, cmd.Args)
	}
	return cmd
}

// end kills all processes, and shows their logs if the test has failed.
func (p *processes) end() {
	for i, n := range p.nodes {
		if n.running != nil {
			p.kill(i)
		}
		if text, err := os.ReadFile(n.log.Name()); err == nil && (p.t.Failed() || os.Getenv("CLUSTER_LOGS") != "") {
			p.t.Logf("node %d, port %d:\n%s", i, n.port, text)
		}
	}
}

// signal sends a signal to a node.
func (p *processes) signal(i int, s syscall.Signal) {
	p.t.Helper()
	require.NoError(p.t, p.nodes[i].running.Process.Signal(s))
}

// kill ends a node as kill -9 does.
func (p *processes) kill(i int) {
	p.t.Helper()
	p.signal(i, syscall.SIGKILL)
	_ = p.nodes[i].running.Wait() // the error is the signal
	p.nodes[i].running = nil
}

// stop ends a node as planned.
func (p *processes) stop(i int) {
	p.t.Helper()
	p.signal(i, syscall.SIGTERM)
	done := make(chan error, 1)
	go func() { done <- p.nodes[i].running.Wait() }()
	select {
	case err := <-done:
		require.NoError(p.t, err, "the exit code of a planned stop")
	case <-time.After(patience):
		p.signal(i, syscall.SIGQUIT) // the log gets all goroutines
		<-done
		p.t.Errorf("node %d does not stop", i)
	}
	p.nodes[i].running = nil
}

// ask sends a command to a node, on a connection of its own.
func (p *processes) ask(i int, args ...any) (reply any, err error) {
	return p.askAt(p.nodes[i].addr(), args...)
}

// askAt sends a command to an address, on a connection of its own.
func (p *processes) askAt(addr string, args ...any) (reply any, err error) {
	nc, err := net.DialTimeout("tcp", addr, answer)
	if err != nil {
		return nil, err
	}
	defer func() { _ = nc.Close() }()
	if p.password != "" {
		if _, err := exchange(p.t, nc, "AUTH", p.password); err != nil {
			return nil, err
		}
	}
	return exchange(p.t, nc, args...)
}

// exchange sends a command and reads its reply.
func exchange(t testing.TB, nc net.Conn, args ...any) (any, error) {
	if err := nc.SetDeadline(time.Now().Add(answer)); err != nil {
		return nil, err
	}
	if _, err := nc.Write(resptest.Command(args...)); err != nil {
		return nil, err
	}
	return resptest.New(quiet{t}, nc).TryRecv()
}

// quiet is a test whose connections are closed by their users.
type quiet struct{ testing.TB }

// Cleanup implements [testing.TB].
func (quiet) Cleanup(func()) {}

// leader returns the node that leads, -1 if none does.
func (p *processes) leader() int {
	for i, n := range p.nodes {
		if n.running == nil {
			continue
		}
		if reply, err := p.ask(i, "ROLE"); err == nil && strings.HasPrefix(fmt.Sprint(reply), "[master") {
			return i
		}
	}
	return -1
}

// awaitLeader waits for a node that leads.
func (p *processes) awaitLeader() (leader int) {
	p.t.Helper()
	p.eventually("no node leads", func() bool {
		leader = p.leader()
		return leader >= 0
	})
	return leader
}

// follower returns a running node that does not lead.
func (p *processes) follower(choice int) int {
	p.t.Helper()
	leader := p.awaitLeader()
	var all []int
	for i, n := range p.nodes {
		if i != leader && n.running != nil {
			all = append(all, i)
		}
	}
	require.NotEmpty(p.t, all)
	return all[choice%len(all)]
}

// heal starts what does not run, and waits until all nodes vote and follow one leader.
func (p *processes) heal() {
	p.t.Helper()
	for i, n := range p.nodes {
		if n.running == nil {
			p.run(i)
		}
	}
	p.eventually("the cluster does not heal", func() bool {
		leaders := map[string]bool{}
		for i := range p.nodes {
			reply, err := p.ask(i, "INFO", "cluster")
			text := fmt.Sprint(reply)
			if err != nil || !strings.Contains(text, "cluster_state:ok") || !strings.Contains(text, fmt.Sprint("cluster_voters:", len(p.nodes), "\r\n")) {
				return false
			}
			_, id, _ := strings.Cut(text, "cluster_leader_id:")
			leaders[id[:40]] = true
		}
		return len(leaders) == 1
	})
}

func (p *processes) eventually(failure string, is func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatal(failure, p.states())
		}
	}
}

// states says how each node sees the cluster.
func (p *processes) states() string {
	var text strings.Builder
	for i, n := range p.nodes {
		fmt.Fprintf(&text, "\nnode %d, port %d: ", i, n.port)
		if n.running == nil {
			text.WriteString("it does not run")
			continue
		}
		info, err := p.ask(i, "INFO", "cluster")
		fmt.Fprint(&text, info, err)
	}
	return text.String()
}

// stored reads a key. A leader that a busy machine has held up refuses at first.
func (p *processes) stored(key string) (reply any) {
	p.t.Helper()
	p.eventually("no leader reads "+key, func() bool {
		var err error
		reply, err = p.ask(p.awaitLeader(), "GET", key)
		_, refused := reply.(resptest.Error)
		return err == nil && !refused
	})
	return reply
}

// increment increments a counter. It tries again if the leader changes, so the counter may skip a number.
func (p *processes) increment(key string) (n int64) {
	p.t.Helper()
	p.eventually("no leader increments "+key, func() bool {
		reply, err := p.ask(p.awaitLeader(), "INCR", key)
		var done bool
		n, done = reply.(int64)
		return err == nil && done
	})
	return n
}

// answers waits until a node answers the health check.
func (p *processes) answers(i int) {
	p.t.Helper()
	p.eventually("the health check fails", func() bool {
		return exec.Command(bin, "--ping", "--bind", p.nodes[i].host, "--port", fmt.Sprint(p.nodes[i].port)).Run() == nil
	})
}

// requireEqual requires that all nodes hold the same keys.
func (p *processes) requireEqual() {
	p.t.Helper()
	p.heal()
	p.eventually("the nodes do not hold the same keys", func() bool {
		first := p.keys(0)
		for i := range p.nodes {
			if all := p.keys(i); first == nil || fmt.Sprint(all) != fmt.Sprint(first) {
				return false
			}
		}
		return true
	})
}

// keys returns all keys of a node, nil if it cannot be read.
func (p *processes) keys(i int) map[string]string {
	nc, err := net.DialTimeout("tcp", p.nodes[i].addr(), answer)
	if err != nil {
		return nil
	}
	defer func() { _ = nc.Close() }()
	if _, err := exchange(p.t, nc, "READONLY"); err != nil {
		return nil
	}
	list, err := exchange(p.t, nc, "KEYS", "*")
	names, ok := list.([]any)
	if err != nil || !ok {
		return nil
	}
	all := map[string]string{}
	for _, name := range names {
		dump, err := exchange(p.t, nc, "DUMP", name)
		if err != nil {
			return nil
		}
		all[fmt.Sprint(name)] = fmt.Sprint(dump)
	}
	return all
}

// pid returns the id of the process of a node, as text.
func (p *processes) pid(i int) string { return strconv.Itoa(p.nodes[i].running.Process.Pid) }
