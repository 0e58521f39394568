package peer

import (
	"bufio"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// inFlight is how many requests of a connection may wait for their answers. The number is Raft's own
// default. More requests would add latency.
const inFlight = raft.DefaultMaxRPCsInFlight

// provenBy is the number of answers after which a connection counts as working. A connection that fails
// earlier brings nothing, because Raft sends the unanswered requests again.
const provenBy = 100

var errLate = errors.New("no answer came in time")

// pipeline sends requests over one connection. It implements [raft.AppendPipeline].
type pipeline struct {
	conn    net.Conn
	sent    chan *request // requests without an answer, in their order
	done    chan raft.AppendFuture
	closed  chan struct{}
	once    sync.Once
	failed  sync.Once
	timeout time.Duration
	judge   func(error) // is called with nil after provenBy answers, and with the error if the pipeline fails
	commits Commits

	// sending has a value while a request is being sent. It guards room, and keeps the order of requests. It is taken
	// before mu. Nobody waits for it after the end of the pipeline.
	sending chan struct{}
	room    []byte // memory for the bytes of a request

	flight
}

// request is one request and its answer. It implements [raft.AppendFuture].
type request struct {
	args   *raft.AppendEntriesRequest
	answer *raft.AppendEntriesResponse
	own    bool  // Raft does not know the request: see rest
	err    error // of the connection
}

// Error implements [raft.Future]. Raft gets a request after its answer.
func (r *request) Error() error { return r.err }

// Start implements [raft.AppendFuture]. Raft only measures with it, and nobody reads Raft's measurements.
func (r *request) Start() time.Time { return time.Time{} }

// Request implements [raft.AppendFuture].
func (r *request) Request() *raft.AppendEntriesRequest { return r.args }

// Response implements [raft.AppendFuture].
func (r *request) Response() *raft.AppendEntriesResponse { return r.answer }

func newPipeline(conn net.Conn, timeout time.Duration, commits Commits, judge func(error)) *pipeline {
	p := &pipeline{
		conn: conn, timeout: timeout, judge: judge, commits: commits, sending: make(chan struct{}, 1),
		sent: make(chan *request, inFlight), done: make(chan raft.AppendFuture, inFlight), closed: make(chan struct{}),
	}
	p.late = time.AfterFunc(timeout, p.timeUp)
	p.late.Stop()
	go p.receive()
	return p
}

// AppendEntries implements [raft.AppendPipeline].
func (p *pipeline) AppendEntries(args *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse) (raft.AppendFuture, error) {
	if p.isClosed() || !p.hold() {
		return nil, raft.ErrPipelineShutdown
	}
	defer p.release()
	r := &request{args: args, answer: answer}
	if err := p.send(r); err != nil {
		return nil, err
	}
	return r, nil
}

// hold waits until no request is being sent. It reports false if the pipeline ends before that.
func (p *pipeline) hold() bool {
	select {
	case p.sending <- struct{}{}:
		return true
	case <-p.closed:
		return false
	}
}

func (p *pipeline) release() { <-p.sending }

// send sends a request. sending is held.
func (p *pipeline) send(r *request) (err error) {
	select {
	case p.sent <- r: // before it is written, because its answer may come at once
	case <-p.closed:
		return raft.ErrPipelineShutdown
	}
	p.flies()
	if p.room, err = writeRequest(p.conn, p.room, r.args); err != nil {
		p.end(err)
	}
	return err
}

// receive reads answers until the connection ends.
func (p *pipeline) receive() {
	defer p.end(nil)
	in := bufio.NewReaderSize(p.conn, inFlight*answerSize)
	for answers := 1; ; answers++ {
		answer, err := readAnswer(in)
		if err != nil {
			if !p.isClosed() {
				p.fail(err) // before giveUp, because Raft closes a pipeline with a failed request
			}
			p.giveUp(err)
			return
		}
		select {
		case r := <-p.sent:
			p.lands(r.args, answer.Success)
			if answers == provenBy {
				p.judge(nil)
			}
			*r.answer = answer
			if r.own && !answer.Success || !r.own && !p.tell(r) {
				return
			}
		case <-p.closed:
			return
		}
	}
}

// giveUp gives the oldest request an error. Then Raft ends the pipeline.
func (p *pipeline) giveUp(err error) {
	for {
		select {
		case r := <-p.sent:
			if r.own {
				continue
			}
			r.err = err
			p.tell(r)
		default:
		}
		return
	}
}

// tell gives an answered request to Raft. It reports false if the pipeline is closed.
func (p *pipeline) tell(r *request) bool {
	select {
	case p.done <- r:
		return true
	case <-p.closed:
		return false
	}
}

// Consumer implements [raft.AppendPipeline].
func (p *pipeline) Consumer() <-chan raft.AppendFuture { return p.done }

// Close implements [raft.AppendPipeline].
func (p *pipeline) Close() error {
	p.end(nil)
	return nil
}

// end closes the pipeline. The error says why, if it failed.
func (p *pipeline) end(err error) {
	p.once.Do(func() {
		if err != nil {
			p.fail(err)
		}
		close(p.closed)
		_ = p.conn.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.late.Stop()
	})
}

// fail calls judge with an error, at most once: the sender and the receiver may both notice the failure.
func (p *pipeline) fail(err error) { p.failed.Do(func() { p.judge(err) }) }

func (p *pipeline) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}
