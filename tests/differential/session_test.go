package differential

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// epoch is the time of the moved clock at the start of a session. Its number of nanoseconds is odd, so that truncations
// show.
const epoch int64 = 1_700_000_000_123_456_789

// A step is a command on one connection. A step without arguments lets time pass.
type step struct {
	conn    int
	args    []string
	advance time.Duration
}

// A mismatch is a step with different replies.
type mismatch struct {
	step  step
	redis string
	ours  string
	note  string
}

// A session sends the same steps to both servers. It tracks the state that comparisons need: which client is in a
// transaction, and its queued commands.
type session struct {
	redis, ours *peer
	moved       bool // both clocks follow the steps
	now         int64
	inMulti     [clients]bool
	queued      [clients][][]string
	coverage    coverage
	slowest     time.Duration // of a step of this round: the real times of the two servers differ by as much
	absent      []string      // commands of the grammar that ours does not know
}

// findAbsent asks ours for every command of the grammar, and closes the connection.
func (s *session) findAbsent() error {
	w, err := dial(s.ours.addr)
	if err != nil {
		return err
	}
	defer w.conn.Close()
	for _, c := range grammar {
		name := c.command()
		if name == "" || slices.Contains(s.absent, name) {
			continue
		}
		r, err := w.do(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if strings.HasPrefix(r.text, "ERR unknown command") {
			s.absent = append(s.absent, name)
		}
	}
	return nil
}

// begin empties both servers and opens new connections with this version of the protocol.
func (s *session) begin(proto int) error {
	s.now, s.inMulti, s.queued, s.slowest = epoch, [clients]bool{}, [clients][][]string{}, 0
	for _, p := range []*peer{s.redis, s.ours} {
		if s.moved {
			if err := p.setClock(s.now); err != nil {
				return err
			}
		}
		if r, err := p.admin.do("FLUSHALL"); err != nil || r.isError() {
			return fmt.Errorf("FLUSHALL: %s %w", r, err)
		}
		if err := p.reconnect(); err != nil {
			return err
		}
		for _, c := range p.clients {
			if r, err := c.do("HELLO", strconv.Itoa(proto)); err != nil || r.isError() {
				return fmt.Errorf("HELLO %d: %s %w", proto, r, err)
			}
		}
	}
	if !s.moved {
		s.now = time.Now().UnixNano()
	}
	return nil
}

// run takes one step on both servers. It returns their difference, or nil.
func (s *session) run(st step) (*mismatch, error) {
	if st.args == nil {
		return nil, s.pass(st.advance)
	}
	if skip, err := s.undefined(st); skip || err != nil {
		return nil, err
	}
	if err := s.settle(st); err != nil {
		return nil, err
	}
	begun := time.Now()
	want, got, err := s.both(st)
	if err != nil {
		return nil, err
	}
	s.slowest = max(s.slowest, time.Since(begun))
	s.coverage.add(st.args, want)
	m := s.compare(st, want, got)
	s.track(st, want)
	if m != nil && knownDifference(st.args, want, got) {
		m = nil
	}
	return m, nil
}

// pass lets d go by: at once on the moved clocks, else in real time.
func (s *session) pass(d time.Duration) error {
	if !s.moved {
		time.Sleep(min(d, realPause))
		s.now = time.Now().UnixNano()
		return nil
	}
	s.now += int64(d)
	if err := s.redis.setClock(s.now); err != nil {
		return err
	}
	return s.ours.setClock(s.now)
}

// realPause bounds a pause on the real clock. It is longer than the short expiries.
const realPause = 30 * time.Millisecond

func (s *session) both(st step) (want, got reply, err error) {
	r, o := s.redis.clients[st.conn], s.ours.clients[st.conn]
	if err := r.send(st.args); err != nil {
		return want, got, fmt.Errorf("redis: %w", err)
	}
	if err := o.send(st.args); err != nil {
		return want, got, fmt.Errorf("ours: %w", err)
	}
	if want, err = r.receive(); err != nil {
		return want, got, fmt.Errorf("redis: %w", err)
	}
	if got, err = o.receive(); err != nil {
		return want, got, fmt.Errorf("ours: %w (redis said %s)", err, want)
	}
	return want, got, nil
}

// settle removes the expired keys before a command that returns the number of keys. Redis counts an expired key until a
// command finds it.
func (s *session) settle(st step) error {
	name := strings.ToUpper(st.args[0])
	counts := name == "DBSIZE" && !s.inMulti[st.conn]
	if name == "EXEC" {
		for _, q := range s.queued[st.conn] {
			counts = counts || strings.EqualFold(q[0], "DBSIZE")
		}
	}
	if !counts {
		return nil
	}
	for _, p := range []*peer{s.redis, s.ours} {
		for db := range databases {
			if _, err := p.admin.do("SELECT", strconv.Itoa(db)); err != nil {
				return err
			}
			if _, err := p.admin.do("SCAN", "0", "COUNT", "100000"); err != nil {
				return err
			}
		}
	}
	return nil
}

// databases is the default number of databases.
const databases = 16

func (s *session) compare(st step, want, got reply) *mismatch {
	name := strings.ToUpper(st.args[0])
	if name == "EXEC" && s.inMulti[st.conn] && want.kind == '*' && len(want.elems) == len(got.elems) {
		return s.compareExec(st, want, got)
	}
	if !s.inMulti[st.conn] && !want.isError() && !got.isError() {
		switch name {
		case "SCAN", "ZSCAN", "HSCAN", "SSCAN":
			return s.compareScan(st, want, got)
		case "DBSIZE":
			return s.compareSizes(st, want, got)
		case "RANDOMKEY", "ZRANDMEMBER", "HRANDFIELD", "SRANDMEMBER":
			if m := s.compareRandom(st, want, got); m != nil {
				return m
			}
		}
	}
	return s.differ(st, st.args, want, got)
}

// compareSizes compares numbers of keys. Redis may still count an expired key. Then the keys that a client can see
// decide.
func (s *session) compareSizes(st step, want, got reply) *mismatch {
	m := s.differ(st, st.args, want, got)
	if m == nil {
		return m
	}
	if other, err := s.checkpoint(); err != nil || other != nil {
		return m
	}
	return nil
}

func (s *session) compareExec(st step, want, got reply) *mismatch {
	queued := s.queued[st.conn]
	for i := range want.elems {
		args := st.args
		if i < len(queued) {
			args = queued[i]
		}
		if strings.EqualFold(args[0], "DBSIZE") || knownDifference(args, want.elems[i], got.elems[i]) {
			continue // Redis still counts keys that expired within the transaction
		}
		if m := s.differ(st, args, want.elems[i], got.elems[i]); m != nil {
			m.note = fmt.Sprintf("element %d, of %s", i, quote(args))
			return m
		}
	}
	return nil
}

// differ compares two replies without the parts that may vary.
func (s *session) differ(st step, args []string, want, got reply) *mismatch {
	if !s.moved && timesAgree(args, want, got, s.slowest) {
		return nil
	}
	w, g := normalise(args, want, s.moved).String(), normalise(args, got, s.moved).String()
	if w == g {
		return nil
	}
	return &mismatch{step: st, redis: w, ours: g}
}

// track follows the connection's transaction by Redis's replies.
func (s *session) track(st step, want reply) {
	switch name := strings.ToUpper(st.args[0]); {
	case want.isOK("QUEUED"):
		s.queued[st.conn] = append(s.queued[st.conn], st.args)
		return
	case name == "MULTI" && want.isOK("OK"):
		s.inMulti[st.conn] = true
	case (name == "EXEC" || name == "DISCARD" || name == "RESET") && !isArityError(want):
		s.inMulti[st.conn] = false
	default:
		return
	}
	s.queued[st.conn] = nil
}

// isArityError does not include the error of EXEC, which says EXECABORT and ends the transaction.
func isArityError(r reply) bool {
	return r.isError() && strings.HasPrefix(r.text, "ERR wrong number of arguments")
}
