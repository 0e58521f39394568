package roster

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"cellserver/internal/topology"
)

// A world is a few machines with one list, and as much of Raft as formation needs: terms, votes, one committed
// length, and the voters. It checks that there is one cluster, and that an id votes with one disk.
type world struct {
	rng      *rand.Rand
	list     []topology.Address
	machines []*machine
	cut      map[[2]int]bool // links, one way
	decide   func(Self, map[string]Answer) Decision

	serial   int                    // of disks and runs
	votes    map[string]map[int]int // id and term: the disk that voted
	clusters map[string]*cluster    // all that were ever founded
	wrong    string                 // the first broken rule; "" if there is no broken rule
}

// A cluster is what its leaders have committed.
type cluster struct {
	voters    map[string]int // id: machine
	committed int
}

// A disk is the directory of a node.
type disk struct {
	serial  int
	id      string
	founder bool // it has the voters of its list
	away    bool // it may not vote
	term    int
	cluster string
	voters  map[string]int // as far as this disk knows
	log     int
}

// A machine is a place for a node. Its address is its index in the list.
type machine struct {
	at      int
	up      bool
	run     string
	found   string
	disk    *disk
	answers map[string]Answer
	stopped bool // it refused, and a person has to start it again
}

func newWorld(rng *rand.Rand, n int, decide func(Self, map[string]Answer) Decision) *world {
	w := &world{rng: rng, cut: map[[2]int]bool{}, decide: decide, votes: map[string]map[int]int{}, clusters: map[string]*cluster{}}
	for i := range n {
		w.list = append(w.list, topology.Address{Host: string(rune('a' + i)), Port: 1, PeerPort: 10001})
		w.machines = append(w.machines, &machine{at: i})
	}
	return w
}

func (w *world) next() int { w.serial++; return w.serial }

func (w *world) fail(format string, args ...any) {
	if w.wrong == "" {
		w.wrong = fmt.Sprintf(format, args...)
	}
}

// start starts a machine with the disk that it has.
func (w *world) start(m *machine) {
	if !m.up || m.stopped {
		m.up, m.stopped, m.found, m.answers = true, false, "", nil
		m.run = fmt.Sprintf("%040x", w.next())
	}
}

func (w *world) stop(m *machine) { m.up = false }

// powerCut stops a machine whose log was in the page cache only.
func (w *world) powerCut(m *machine) {
	m.up = false
	if m.disk != nil {
		m.disk.away = true
	}
}

func (w *world) standing(m *machine) Standing {
	s := Standing{Run: m.run, Phase: Empty, Nodes: Strings(w.list), Found: m.found}
	switch d := m.disk; {
	case d == nil:
	case d.away:
		s.Phase, s.Cluster = Returning, d.cluster
	case d.founder && d.term < 2:
		s.Phase, s.ID = Founding, d.id
	default:
		s.Phase, s.ID, s.Cluster = Member, d.id, d.cluster
	}
	return s
}

func (w *world) linked(a, b *machine) bool {
	return a.up && b.up && (a == b || !w.cut[[2]int{a.at, b.at}] && !w.cut[[2]int{b.at, a.at}])
}

// isolate cuts all links of a machine, or repairs them.
func (w *world) isolate(m *machine, cut bool) {
	for _, other := range w.machines {
		w.cut[[2]int{m.at, other.at}] = cut
	}
}

// ask lets a node ask one address. It keeps the answer until it decides.
func (w *world) ask(m, other *machine) {
	if !m.up || m.stopped {
		return
	}
	if m.answers == nil {
		m.answers = map[string]Answer{}
	}
	answer := Answer{Error: "timeout"}
	if w.linked(m, other) {
		answer = Answer{Standing: w.standing(other)}
	}
	m.answers[w.list[other.at].String()] = answer
}

// askAll lets a node ask every address.
func (w *world) askAll(m *machine) {
	for _, other := range w.machines {
		w.ask(m, other)
	}
}

// step lets a node decide.
func (w *world) step(m *machine) Decision {
	if !m.up || m.stopped || len(m.answers) < len(w.list) {
		return Decision{}
	}
	d := w.decide(Self{Standing: w.standing(m), List: w.list}, m.answers)
	m.found, m.answers = d.Found, nil
	switch d.Action {
	case Found:
		voters := map[string]int{}
		for i, v := range Founders(w.list) {
			voters[v.ID] = i
		}
		if !slices.ContainsFunc(w.machines, func(m *machine) bool { return m.disk != nil && (m.disk.away || m.disk.term > 1) }) {
			clear(w.votes) // nobody has seen an election, so this is the first one
		}
		m.disk = &disk{serial: w.next(), id: d.ID, founder: true, term: 1, voters: voters}
	case Enter:
		m.disk = &disk{serial: w.next(), id: d.ID, cluster: d.Cluster, term: 1}
	case Refuse:
		m.stopped = true
	}
	return d
}

// backers returns the voters, of those that a disk knows, that a machine reaches and that satisfy a condition.
func (w *world) backers(from *machine, voters map[string]int, accept func(*disk) bool) (all []*machine) {
	for id, at := range voters {
		m := w.machines[at]
		if w.linked(from, m) && m.disk != nil && !m.disk.away && m.disk.id == id && accept(m.disk) {
			all = append(all, m)
		}
	}
	return all
}

// elect lets a machine be a candidate. It returns the machines that follow it, or nil.
func (w *world) elect(m *machine) []*machine {
	own := m.disk
	if !m.up || own == nil || own.away || own.voters == nil {
		return nil
	}
	term := own.term + 1
	grants := func(d *disk) bool { return d == own || d.term < term && d.log <= own.log }
	backers := w.backers(m, own.voters, grants)
	if 2*len(backers) <= len(own.voters) || !slices.Contains(backers, m) {
		return nil
	}
	for _, b := range backers {
		b.disk.term = term
		if w.votes[b.disk.id] == nil {
			w.votes[b.disk.id] = map[int]int{}
		}
		if before, ok := w.votes[b.disk.id][term]; ok && before != b.disk.serial {
			w.fail("%s voted in term %d with two disks", b.disk.id, term)
		}
		w.votes[b.disk.id][term] = b.disk.serial
	}
	w.lead(m, backers)
	return backers
}

// lead commits an entry with the machines that follow.
func (w *world) lead(m *machine, backers []*machine) {
	own := m.disk
	if w.rng.IntN(8) == 0 { // the leader fails before it commits
		return
	}
	if own.cluster == "" {
		w.create(own)
	}
	c := w.clusters[own.cluster]
	if own.log < c.committed {
		w.fail("a leader of %s has %d of %d entries", own.cluster, own.log, c.committed)
	}
	own.log++
	c.committed = own.log
	for _, b := range backers {
		b.disk.log, b.disk.cluster, b.disk.voters = own.log, own.cluster, own.voters
	}
}

// create makes the first leader's cluster.
func (w *world) create(own *disk) {
	for _, m := range w.machines {
		if m.disk != nil && m.disk.cluster != "" {
			w.fail("a second cluster is founded while %s exists", m.disk.cluster)
		}
	}
	own.cluster = fmt.Sprintf("cluster%d", w.next())
	w.clusters[own.cluster] = &cluster{voters: own.voters}
}

// join lets a node ask a leader for its place. The leader replaces the id at the same address.
func (w *world) join(m, leader *machine) {
	own := m.disk
	if !m.up || own == nil || own.away || own.cluster == "" || !w.linked(m, leader) || w.elect(leader) == nil {
		return
	}
	l := leader.disk
	if _, votes := l.voters[own.id]; votes || l.cluster != own.cluster {
		return
	}
	voters := map[string]int{own.id: m.at}
	for id, at := range l.voters {
		if at != m.at {
			voters[id] = at
		}
	}
	before := *own
	own.log, own.voters, own.term = l.log, voters, l.term
	backers := w.backers(leader, voters, func(d *disk) bool { return d.term <= l.term })
	if 2*len(backers) <= len(voters) {
		*own = before
		return
	}
	l.voters = voters
	w.lead(leader, backers)
}

// whole reports whether all machines are voters of one cluster, and have all that it committed.
func (w *world) whole() bool {
	first := w.machines[0].disk
	if first == nil || w.clusters[first.cluster] == nil || len(first.voters) != len(w.list) {
		return false
	}
	return !slices.ContainsFunc(w.machines, func(m *machine) bool {
		at, votes := first.voters[idOf(m.disk)]
		return !votes || at != m.at || !maps.Equal(m.disk.voters, first.voters) || m.disk.log != w.clusters[first.cluster].committed
	})
}

func idOf(d *disk) string {
	if d == nil || d.away {
		return ""
	}
	return d.id
}

// String shows the machines of a failing world.
func (w *world) String() string {
	text := w.wrong
	for _, m := range w.machines {
		text += fmt.Sprintf("\n%s up %v, found %q, %+v", w.list[m.at], m.up, m.found, m.disk)
	}
	return text
}
