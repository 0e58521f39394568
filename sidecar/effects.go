package sidecar

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"

	"cellserver/commands"
	"cellserver/limiters/ruleset"
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
func (w *written) hashOfRule(name string) uint32 { return ^uint32(maphash.String(w.seed, name)) }

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
	return append(to, ^w.hash(words[0]), w.hashOfRule(ruleset.Default))
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

// forgetOld forgets a refusal in the answer to a question, if something has changed since it departed: the
// hub may have decided before that. The lock of the account's shard is held.
func (s *Sidecar) forgetOld(a *account.Account, now, departed account.Time) {
	if a.Remembers(now) && s.written.lastOf(a) >= departed.Boot {
		a.ForgetRefusal(now.Boot)
	}
}

// beginOf returns the begin of the texts of accounts with a rule, after their first line. The rule default
// decides for all rules that do not exist.
func beginOf(rule string) string {
	text := router.AppendWord(nil, "cl.check")
	if rule != ruleset.Default {
		text = router.AppendWord(text, rule)
	}
	return string(text)
}

// begins reports whether the text of an account has a begin after its first line.
func begins(a *account.Account, begin string) bool {
	_, text, _ := strings.Cut(a.Command(), "\r\n")
	return strings.HasPrefix(text, begin)
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
		e.change, e.rule, e.other = limits, string(args[2]), 0
	case "cl.rule|reset":
		e.change, e.rule = clients, string(args[2])
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

// follow returns what reads the reply to a command in database 0, nil if it has no effect.
func (s *Sidecar) follow(e *effect) func(reply []byte) (more bool) {
	if e == nil {
		return nil
	}
	return func(reply []byte) bool {
		s.apply(e, reply, new(atomic.Int64))
		return false
	}
}

// apply does what follows from an effect. `reply` is the begin of the hub's reply, nil if that is lost. `db`
// is the database of the client.
func (s *Sidecar) apply(e *effect, reply []byte, db *atomic.Int64) {
	if e.change == database {
		if reply != nil && reply[0] == '+' {
			db.Store(e.other)
		}
		return
	}
	if e.other != 0 && !(e.own && db.Load() == 0) {
		return
	}
	switch {
	case reply == nil || e.mayFail:
		s.written.note(s.o.Clock().Boot, e.keys...)
	case reply[0] == '-':
	case e.change == values:
		s.written.note(s.o.Clock().Boot, e.keys...)
	case string(reply) == ":0\r\n": // there was nothing to change
	case e.change == all:
		s.forget()
	default:
		s.forgetSome(e)
	}
}

// forgetSome forgets what the hub said about the limits of keys, or of a rule.
func (s *Sidecar) forgetSome(e *effect) {
	now := s.o.Clock().Boot
	slices.Sort(e.keys)
	has := func(hash uint32) bool { _, is := slices.BinarySearch(e.keys, hash); return is }
	s.written.note(now, e.keys...)
	if e.change == states {
		rules := beginOf(ruleset.Default)
		for keys, n := e.keys, 0; len(keys) > 0; keys = keys[n:] {
			shard := shardOf(keys[0])
			for n = 1; n < len(keys) && shardOf(keys[n]) == shard; {
				n++
			}
			s.shards[shard].forgetSome(func(a *account.Account) bool {
				return has(a.Key()) && !begins(a, rules)
			})
		}
		return
	}
	if e.change == limits {
		s.written.note(now, s.written.hashOfRule(e.rule))
	}
	s.explained.forgetRule(e.rule)
	rule := beginOf(e.rule)
	for i := range s.shards {
		s.shards[i].forgetSome(func(a *account.Account) bool {
			return begins(a, rule) && (e.change == limits ||
				slices.ContainsFunc(s.written.hashesOf(a), has))
		})
	}
}
