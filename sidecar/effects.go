package sidecar

import (
	"bytes"
	"hash/maphash"
	"strings"
	"sync/atomic"

	"cellserver/commands"
	"cellserver/limiters/rules"
	"cellserver/router"
	"cellserver/sidecar/account"
)

// places is how many places keys and rules have, by a hash. If two keys have one place, a refusal of one is
// forgotten when the other one changes.
const places = 1024

// shards is how many parts the accounts have. Clients with different keys rarely wait for each other.
const shards = 16

// shardOf returns the part with the accounts of a key by its hash. The hashes of a part are neighbours.
func shardOf(hash uint32) int { return int(hash / (1 << 32 / shards)) }

// written has when the hub last ran a command that may have changed a key or a rule of a place, in
// microseconds.
type written struct {
	seed maphash.Seed
	at   [places]atomic.Int64
}

func (w *written) hash(key []byte) uint32 { return uint32(maphash.Bytes(w.seed, key)) }

// hashOfRule returns a hash that is not that of the key with the same name.
func (w *written) hashOfRule(name []byte) uint32 { return ^w.hash(name) }

// ruleOf returns the name of the rule that a request asks for, which may name scopes: that of api@org is api.
func ruleOf(asked []byte) []byte {
	name, _, _ := bytes.Cut(asked, []byte("@"))
	return name
}

// hashes appends the hashes of what the decisions of a limit depend on. That of its key is the first one.
// `words` are those of the command after its name, and `more` the rest of them.
func (w *written) hashes(to []uint32, name string, words, more [][]byte) []uint32 {
	if name != "cl.check" {
		return append(to, w.hash(words[0]))
	}
	for _, key := range words[1:] {
		to = append(to, w.hash(key))
	}
	for _, key := range more {
		to = append(to, w.hash(key))
	}
	return append(to, w.hashOfRule(ruleOf(words[0])), w.hashOfRule([]byte(rules.Default)))
}

// last returns when something with one of the hashes last changed.
func (w *written) last(hashes []uint32) (last int64) {
	for _, hash := range hashes {
		last = max(last, w.at[hash%places].Load())
	}
	return last
}

// lastOf returns when something last changed on which the decisions of an account depend.
func (w *written) lastOf(a *account.Account) int64 { return w.last(w.hashesOf(a)) }

// hashesOf returns the hashes of an account.
func (w *written) hashesOf(a *account.Account) []uint32 {
	words := wordsOf([]byte(a.Command()))
	return w.hashes(nil, string(words[0]), words[1:], nil)
}

// isCheck reports whether an account is that of a CL.CHECK with a rule. The rule `default` decides for all
// rules that do not exist, so it has all accounts of CL.CHECK.
func isCheck(a *account.Account, rule string) bool {
	_, text, _ := strings.Cut(a.Command(), "\r\n")
	text, ok := strings.CutPrefix(text, "$8\r\ncl.check\r\n")
	_, asked, _ := strings.Cut(text, "\r\n")
	after, same := strings.CutPrefix(asked, rule)
	return ok && (rule == rules.Default || same && strings.IndexAny(after, "@\r") == 0)
}

// note notes that commands may have changed what is in a place.
func (w *written) note(now int64, hashes ...uint32) {
	for _, hash := range hashes {
		w.at[hash%places].Store(now)
	}
}

// change says what a command changes for a sidecar.
type change uint8

const (
	values   change = iota // of keys: refusals of them count no more
	states                 // of the limits of keys: their leases count no more, either
	clients                // keys of a rule: they have a fresh start
	limits                 // of a rule
	all                    // there are no keys, or it is another time
	database               // of the client
)

// effect is what a command of the hub changes here, once the hub has run it. Limits are leased only in
// database 0.
type effect struct {
	change
	mayFail bool  // an error may have come after the change
	own     bool  // the change is in the database of the client
	other   int64 // it is in this database, too; below 0 for none
	rule    string
	keys    []uint32 // hashes
	at      int      // the place of the command in its transaction
}

// effectOf returns the effect of a command, nil for none.
func (w *written) effectOf(cmd *commands.Command, args [][]byte) *effect {
	if cmd == nil || !cmd.Takes(len(args)) { // the hub refuses it
		return nil
	}
	name := cmd.FullName()
	if cmd.Flags&(commands.Write|commands.RunsScript) == 0 && name != "select" && name != "debug" {
		return nil
	}
	e := &effect{own: true, other: -1, mayFail: cmd.Flags&commands.RunsScript != 0}
	switch name {
	case "select":
		e.change, e.other = database, databaseIn(args[1])
		return e
	case "debug":
		e.change, e.other = all, 0
		if !commands.Is(args[1], "clock") {
			return nil
		}
	case "flushall":
		e.change, e.other = all, 0
	case "flushdb":
		e.change = all
	case "swapdb":
		one, two := databaseIn(args[1]), databaseIn(args[2])
		if e.change, e.own, e.other = all, false, min(one, two); one == two {
			return nil
		}
	case "cl.rule|set", "cl.rule|override", "cl.rule|del":
		e.change, e.rule, e.other = limits, string(ruleOf(args[2])), 0
	case "cl.rule|reset":
		e.change, e.rule = clients, string(ruleOf(args[2]))
	case "copy":
		e.change = states
		e.own, e.other = copiesTo(args)
		args = [][]byte{nil, args[2], args[2]} // the source stays
	default:
		if cmd.Group == commands.GroupGeneric {
			e.change = states
		}
		if name == "move" {
			e.other = databaseIn(args[2])
		}
	}
	cmd.EachKey(args, func(key []byte) { e.keys = append(e.keys, w.hash(key)) })
	return e
}

// databaseIn reads the number of a database. It is below 0 for a word that is none.
func databaseIn(word []byte) int64 {
	if n, ok := commands.ParseInt(word); ok {
		return n
	}
	return -1
}

// copiesTo returns the database to which COPY copies: that of the client, or another one.
func copiesTo(args [][]byte) (own bool, other int64) {
	own, other = true, -1
	for i := 3; i+1 < len(args); i++ {
		if commands.Is(args[i], "db") {
			i++
			own, other = false, databaseIn(args[i])
		}
	}
	return own, other
}

// selects reports whether the effect is another database of the client, and selects that if the hub has.
func (e *effect) selects(db *atomic.Int64, reply []byte) bool {
	if e.change == database && reply != nil && reply[0] == '+' {
		db.Store(e.other)
	}
	return e.change == database
}

// transaction has the effects of the commands since MULTI, as the hub replies to them. Each comes with its
// element in the reply of EXEC. The goroutine of the client's own connection uses it.
type transaction struct {
	begun  bool
	length int       // in commands
	weight int       // of the effects, in hashes of keys
	queued []*effect // in the order of the commands
}

// mostQueued bounds the weight of the effects of a transaction. The effect of a larger one is that the
// sidecar forgets all limits.
const mostQueued = 1 << 18

// weightOf is the weight of an effect without its keys.
const weightOf = 24

// add adds a command that the hub has queued.
func (t *transaction) add(e *effect) {
	if e != nil {
		e.at = t.length
		if t.weight += weightOf + len(e.keys); t.weight <= mostQueued {
			t.queued = append(t.queued, e)
		}
	}
	t.length++
}

// follow returns what reads the reply to a command of the client's own connection, nil if nothing follows
// from it. It calls `apply` with each effect that the hub may have had, and its reply. `queues` says that the
// client has sent MULTI.
func (t *transaction) follow(
	name string, e *effect, queues bool, apply func(e *effect, reply []byte),
) func(reply []byte) (more bool) {
	switch {
	case name == "multi" || name == "discard":
		return func(reply []byte) bool {
			if reply != nil && reply[0] == '+' {
				*t = transaction{begun: name == "multi"}
			}
			return false
		}
	case name == "exec":
		return (&execution{transaction: t, apply: apply}).read
	case e == nil && !queues:
		return nil
	}
	return func(reply []byte) bool {
		if t.begun && reply != nil {
			if string(reply) == "+QUEUED\r\n" {
				t.add(e)
			}
		} else if e != nil {
			apply(e, reply)
		}
		return false
	}
}

// execution reads the reply of EXEC.
type execution struct {
	transaction *transaction // nil once the reply has begun
	apply       func(e *effect, reply []byte)
	queued      []*effect // that are still to come
	elements    router.Elements
}

func (x *execution) read(reply []byte) (more bool) {
	if t := x.transaction; t != nil {
		if x.queued = t.queued; t.weight > mostQueued {
			x.apply(&effect{change: all}, reply)
		}
		*t, x.transaction = transaction{}, nil
	}
	if reply == nil {
		for _, e := range x.queued {
			x.apply(e, nil)
		}
		return false
	}
	x.elements.Each(reply, func(i int, begin []byte) {
		if len(x.queued) > 0 && x.queued[0].at == i {
			x.apply(x.queued[0], begin)
			x.queued = x.queued[1:]
		}
	})
	return len(x.queued) > 0
}
