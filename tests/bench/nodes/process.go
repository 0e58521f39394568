package nodes

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"cellserver/tests/bench/server"
)

// patience is how long a deployment may take for one step.
const patience = time.Minute

// process is a server process, or the place of one that does not run.
type process struct {
	argv []string
	dir  string
	port int
	log  bytes.Buffer
	cmd  *exec.Cmd // nil: it does not run
}

func (p *process) addr() string { return "127.0.0.1:" + strconv.Itoa(p.port) }

// newProcess makes the place of a process: a port and a folder. With a peer port, the port 10,000 above is
// free, too.
func newProcess(peer bool) (*process, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	for {
		text, err := server.FreePort()
		if err != nil {
			return nil, err
		}
		port, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		if !peer || port < 55_535 && isFree(port+10_000) {
			return &process{dir: dir, port: port}, nil
		}
	}
}

func isFree(port int) bool {
	ln, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err == nil {
		ln.Close()
	}
	return err == nil
}

// start starts the process. The environment contains no settings.
func (p *process) start(ctx context.Context) error {
	path, err := server.ProgramPath(p.argv[0])
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path, p.argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.dir, []string{"PATH=" + os.Getenv("PATH")}, &p.log, &p.log
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd = cmd
	return nil
}

// kill ends the process by kill -9.
func (p *process) kill() {
	if p.cmd != nil {
		_ = p.cmd.Process.Signal(syscall.SIGKILL)
		_ = p.cmd.Wait() // the error is the signal
		p.cmd = nil
	}
}

// remove ends the process, and removes its folder.
func (p *process) remove() {
	p.kill()
	_ = os.RemoveAll(p.dir)
}

// ask sends one command on a connection of its own.
func (p *process) ask(args ...any) (any, error) {
	c, err := server.Dial(p.addr())
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Do(args...)
}

// info returns a section of INFO as text.
func (p *process) info(section string) (string, error) {
	reply, err := p.ask("INFO", section)
	return fmt.Sprint(reply), err
}

// await waits until a condition holds.
func await(ctx context.Context, what string, holds func() bool) error {
	for end := time.Now().Add(patience); !holds(); {
		if err := server.Pause(ctx, 5*time.Millisecond); err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s: not within %v", what, patience)
		}
	}
	return nil
}
