package clustertest

import (
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// Network carries the messages of raft. Its faults apply to every message that is sent or delivered from now
// on.
type Network struct {
	copies sync.WaitGroup // requests that arrive twice

	mu     sync.Mutex // guards everything below
	random *rand.Rand
	nodes  map[raft.ServerAddress]*Transport
	cut    map[link]bool
	slow   map[raft.ServerAddress]time.Duration // what messages to a node take in addition
	faults Faults
}

// link is the way from one node to another.
type link struct{ from, to raft.ServerAddress }

// Faults are what happens to messages at random.
type Faults struct {
	Delay      time.Duration // the longest delay of a message
	Lost       float64       // the part of the messages that is lost
	Duplicated float64       // the part of the requests that arrives twice
	Late       time.Duration // by which the second arrival is later
}

// NewNetwork returns a network without faults. Its random choices depend on the seed.
func NewNetwork(seed uint64) *Network {
	return &Network{random: rand.New(rand.NewPCG(seed, 1)), nodes: map[raft.ServerAddress]*Transport{}, cut: map[link]bool{}, slow: map[raft.ServerAddress]time.Duration{}}
}

// Cut cuts the way from one node to another, or mends it.
func (w *Network) Cut(from, to raft.ServerAddress, cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut[link{from, to}] = cut
}

// Isolate cuts a node off from all others, or mends that.
func (w *Network) Isolate(node raft.ServerAddress, cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for other := range w.nodes {
		if other != node {
			w.cut[link{node, other}], w.cut[link{other, node}] = cut, cut
		}
	}
}

// Heal mends every cut, and ends all other faults.
func (w *Network) Heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.cut)
	clear(w.slow)
	w.faults = Faults{}
}

// Slow makes all messages to a node take longer.
func (w *Network) Slow(node raft.ServerAddress, by time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slow[node] = by
}

// SetFaults sets what happens to messages at random.
func (w *Network) SetFaults(f Faults) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = f
}

// answerTimeout is how long a sender waits for a reply.
const answerTimeout = 500 * time.Millisecond

var (
	errRefused = errors.New("clustertest: nobody listens at the address")
	errTimeout = errors.New("clustertest: no reply in time")
)

// fate is what happens to one message.
type fate struct {
	delay      time.Duration
	lost       bool
	duplicated bool
	late       time.Duration
}

func (w *Network) fate(l link) fate {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := fate{delay: 200*time.Microsecond + w.slow[l.to]}
	if w.faults.Delay > 0 {
		f.delay += time.Duration(w.random.Int64N(int64(w.faults.Delay)))
	}
	f.lost = w.cut[l] || w.random.Float64() < w.faults.Lost
	f.late = w.faults.Late
	f.duplicated = w.random.Float64() < w.faults.Duplicated
	return f
}

func (w *Network) isCut(l link) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut[l]
}

func (w *Network) at(addr raft.ServerAddress) *Transport {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.nodes[addr]
}

// call sends a request, and returns the reply.
func (w *Network) call(l link, newRPC func() raft.RPC) (any, error) {
	request := w.fate(l)
	if request.lost {
		time.Sleep(answerTimeout)
		return nil, errTimeout
	}
	if request.duplicated {
		rpc := newRPC()
		w.copies.Go(func() {
			time.Sleep(2*request.delay + request.late)
			w.deliver(l, rpc)
		})
	}
	time.Sleep(request.delay)
	reply, err := w.deliver(l, newRPC())
	if err != nil {
		return nil, err
	}
	back := w.fate(link{l.to, l.from})
	if back.lost {
		time.Sleep(answerTimeout)
		return nil, errTimeout
	}
	time.Sleep(back.delay)
	return reply.Response, reply.Error
}

// deliver hands a request to its receiver.
func (w *Network) deliver(l link, rpc raft.RPC) (raft.RPCResponse, error) {
	to := w.at(l.to)
	if w.isCut(l) {
		time.Sleep(answerTimeout)
		return raft.RPCResponse{}, errTimeout
	}
	if to == nil {
		return raft.RPCResponse{}, errRefused
	}
	return to.receive(rpc)
}
