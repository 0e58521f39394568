package account

import (
	"container/heap"
	"math/rand/v2"
)

// world is a hub and its sidecars in virtual time, in microseconds from its beginning. Everything happens in
// one goroutine, in the order of time.
type world struct {
	*rand.Rand
	now    int64
	hubs   []*hub // of each key
	nodes  []*node
	events events
	serial int

	delay    func(*node) (micros int64, lost bool) // of a message on its way, in either direction
	policy   Policy                                // while the hub does not answer
	repeats  func() bool                           // whether the hub gets a question twice, if set
	admitted func(key int, at, quantity int64)
	waited   []int64 // how long each request waited for its decision, if kept
	refused  int
	passed   int // commands of clients at the hub
}

// node is a sidecar.
type node struct {
	w       *world
	table   *Table
	ticks   bool
	isLost  bool             // the hub has not answered the last question
	paused  int64            // until then the process stands still
	cut     func(int64) bool // whether no message passes at a time
	clock   func(int64) Time // what its clocks show
	waiting map[*Account][]*request

	interval int64 // of a unit in the mode report, in ns
	charges  bool  // the hub has got a charge
	unseen   int64 // units that have passed, but that its first charge has overtaken
}

type request struct {
	key      int
	quantity int64
	came     int64
}

type event struct {
	at, serial int64
	do         func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].serial < e[j].serial
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

// at runs a function at a time.
func (w *world) at(at int64, do func()) {
	w.serial++
	heap.Push(&w.events, event{max(at, w.now), int64(w.serial), do})
}

// run runs all events up to a time.
func (w *world) run(until int64) {
	for len(w.events) > 0 && w.events[0].at <= until {
		e := heap.Pop(&w.events).(event)
		w.now = e.at
		e.do()
	}
	w.now = until
}

// hubTime returns the time of the hub in ns.
func (w *world) hubTime() int64 { return epoch + w.now*1000 }

func (w *world) addNode(s Settings) *node {
	n := &node{w: w, table: NewTable(s), waiting: map[*Account][]*request{}}
	n.clock = func(now int64) Time { return Time{now, epoch/1000 + now} }
	w.nodes = append(w.nodes, n)
	return n
}

// on runs a function of a node at a time, or after its pause.
func (n *node) on(at int64, do func()) {
	n.w.at(at, func() {
		if n.w.now < n.paused {
			n.on(n.paused, do)
			return
		}
		do()
	})
}

func (n *node) time() Time { return n.clock(n.w.now) }

func (n *node) account(key int) *Account {
	return n.table.Account("user", []byte{byte(key), byte(key >> 8), byte(key >> 16)})
}

// toHub runs a function at the hub when a message arrives, unless it is lost.
func (n *node) toHub(do func()) {
	delay, lost := n.w.delay(n)
	if lost || n.cut != nil && n.cut(n.w.now) {
		return
	}
	n.w.at(n.w.now+delay, do)
}

// fromHub runs a function at the node when a message arrives, unless it is lost.
func (n *node) fromHub(do func()) {
	delay, lost := n.w.delay(n)
	if lost || n.cut != nil && n.cut(n.w.now) {
		return
	}
	n.on(n.w.now+delay, do)
}

// take lets a request come to a node.
func (n *node) take(key int, quantity int64) {
	a, r := n.account(key), &request{key, quantity, n.w.now}
	if a.WantsReport() {
		a.Report(n.interval)
	}
	verdict, _ := a.Take(n.time(), quantity)
	if n.isLost && (verdict == Wait || verdict == Pass) {
		if verdict == Wait {
			a.Gone(quantity)
		}
		verdict = n.withoutHub(a, quantity)
	}
	n.settle(a, r, verdict)
	n.ask(a, key)
	n.tickLater()
}

// tickLater lets the node tick, if an account holds something.
func (n *node) tickLater() {
	if !n.ticks && n.table.Holds() {
		n.ticks = true
		n.on(n.w.now+tickLength, n.tick)
	}
}

// withoutHub decides by the policy of the world. A request whose limit nobody knows gets an error.
func (n *node) withoutHub(a *Account, quantity int64) Verdict {
	verdict, _ := a.WithoutHub(n.time(), quantity, n.w.policy, int64(len(n.w.nodes)))
	if verdict == Pass {
		return Refused
	}
	return verdict
}

// settle does what a verdict says.
func (n *node) settle(a *Account, r *request, verdict Verdict) {
	w := n.w
	switch verdict {
	case Wait:
		n.waiting[a] = append(n.waiting[a], r)
		return
	case Local:
		w.admitted(r.key, w.now, r.quantity)
	case Refused:
		w.refused++
	case Pass:
		n.pass(a, r)
		return
	}
	if w.waited != nil {
		w.waited = append(w.waited, w.now-r.came)
	}
}

// pass sends the client's own command.
func (n *node) pass(a *Account, r *request) {
	departed := n.time()
	n.toHub(func() {
		n.w.passed++
		limited, answer := n.w.hubs[r.key].direct(n.w.hubTime(), r.quantity)
		if !limited {
			n.w.admitted(r.key, n.w.now, r.quantity)
			if n.charges {
				n.unseen += r.quantity
			}
		}
		n.fromHub(func() {
			a.Passed(n.time(), departed, r.quantity, limited, answer)
			if n.w.waited != nil {
				n.w.waited = append(n.w.waited, n.w.now-r.came)
			}
		})
	})
}

// ask sends the question of an account.
func (n *node) ask(a *Account, key int) {
	if ask, ok := a.NextAsk(n.time()); ok {
		n.sendAsk(a, key, ask)
	}
}

const timeout = 100_000 // µs

func (n *node) sendAsk(a *Account, key int, ask Ask) {
	w, isOpen := n.w, true
	n.tickLater()
	n.toHub(func() {
		if ask.IsCharge {
			answer := w.hubs[key].charge(w.hubTime(), ask)
			n.charges = true
			n.fromHub(func() {
				isOpen, n.isLost = false, false
				a.Charged(n.time(), ask, answer)
			})
			return
		}
		g := w.hubs[key].lease(w.hubTime(), ask)
		if w.repeats != nil && w.repeats() {
			w.hubs[key].lease(w.hubTime(), Ask{Want: ask.Want, TTL: ask.TTL})
		}
		n.fromHub(func() {
			isOpen, n.isLost = false, false
			a.Granted(n.time(), ask, g)
			n.again(a, key, false)
		})
	})
	n.on(w.now+timeout, func() {
		if isOpen {
			isOpen, n.isLost = false, true
			a.Lost(n.time(), ask)
			n.again(a, key, true)
		}
	})
}

// again decides about the requests that have waited.
func (n *node) again(a *Account, key int, isLost bool) {
	all := n.waiting[a]
	delete(n.waiting, a)
	for _, r := range all {
		if isLost {
			a.Gone(r.quantity)
			n.settle(a, r, n.withoutHub(a, r.quantity))
			continue
		}
		verdict, _ := a.Again(n.time(), r.quantity)
		n.settle(a, r, verdict)
	}
	n.ask(a, key)
}

const tickLength = 20_000 // µs

// tick gives units back, as long as an account holds something.
func (n *node) tick() {
	n.table.Tick(n.time(), func(a *Account, ask Ask) {
		key := int(a.key[5]) | int(a.key[6])<<8 | int(a.key[7])<<16
		n.sendAsk(a, key, ask)
	})
	n.ticks = false
	n.tickLater()
}
