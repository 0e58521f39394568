package differential

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A generator produces the next steps. Most are sensible commands on few keys, so that they collide. Some are commands
// that a client should never send.
type generator struct {
	*rand.Rand
	s       *session
	grammar []production
	total   int // of all weights
}

// newGenerator leaves out the commands that ours does not know.
func newGenerator(r *rand.Rand, s *session) *generator {
	g := &generator{Rand: r, s: s}
	for _, c := range grammar {
		if !slices.Contains(s.absent, c.command()) {
			g.grammar = append(g.grammar, c)
			g.total += c.weight
		}
	}
	return g
}

// A production is one command of the grammar. make returns its arguments.
type production struct {
	name   string
	weight int
	make   func(*generator) []string
}

// command is the production's command without its subcommand.
func (p production) command() string {
	name, _, _ := strings.Cut(p.name, " ")
	return name
}

// grammar is every command of the streams.
var grammar []production

// COMMAND GETKEYS takes commands of the grammar, so init adds it last.
func init() {
	grammar = slices.Concat(stringGrammar, keyGrammar, dumpGrammar, zsetReadGrammar, zsetWriteGrammar, hashGrammar, setGrammar, listGrammar, serverGrammar, fixedGrammar)
}

// next returns one step, or a few steps that belong together.
func (g *generator) next() []step {
	conn := 0
	if g.chance(0.12) {
		conn = 1
	}
	switch {
	case g.chance(0.02):
		return []step{{advance: g.pause()}}
	case g.chance(0.01) && !g.s.inMulti[conn] && len(g.s.absent) == 0:
		return g.shortLife(conn)
	case g.chance(0.02) && !g.s.inMulti[0]:
		return g.watchStory()
	case g.s.inMulti[conn] && g.chance(0.15):
		return []step{{conn: conn, args: []string{g.pick("EXEC", "EXEC", "EXEC", "DISCARD")}}}
	}
	return []step{{conn: conn, args: g.command()}}
}

func (g *generator) pause() time.Duration {
	return []time.Duration{1, time.Microsecond, 499_999, time.Millisecond, 7 * time.Millisecond, 999 * time.Millisecond,
		time.Second, 1499 * time.Millisecond, 12 * time.Second, time.Hour}[g.IntN(10)]
}

// shortLife is a key that expires at once. Steps read the key before and after the expiry.
func (g *generator) shortLife(conn int) []step {
	key := g.anyKey()
	expire := []string{"PEXPIRE", key, strconv.Itoa(1 + g.IntN(20))}
	if g.chance(0.5) {
		expire = []string{"SET", key, g.value(), "PX", strconv.Itoa(1 + g.IntN(20))}
	}
	return []step{{conn: conn, args: expire}, {advance: 25 * time.Millisecond}, {conn: conn, args: g.command()},
		{conn: conn, args: []string{g.pick("GET", "EXISTS", "TTL", "TYPE", "INCR", "PERSIST", "ZCARD", "HLEN", "LLEN"), key}}}
}

// watchStory is optimistic locking. At times another client interferes.
func (g *generator) watchStory() []step {
	key := g.anyKey()
	steps := []step{{args: []string{"WATCH", key, g.anyKey()}}}
	if g.chance(0.6) {
		steps = append(steps, step{conn: 1, args: g.command()})
	}
	if g.chance(0.2) {
		steps = append(steps, step{advance: g.pause()})
	}
	steps = append(steps, step{args: []string{"MULTI"}})
	for range g.IntN(4) {
		steps = append(steps, step{args: g.command()})
	}
	if g.chance(0.4) {
		steps = append(steps, step{conn: 1, args: g.command()})
	}
	return append(steps, step{args: []string{"EXEC"}})
}

// command returns a safe command. It does not block, and it does not ask for more memory than the two servers have.
func (g *generator) command() []string {
	for {
		n := g.IntN(g.total)
		for _, c := range g.grammar {
			if n -= c.weight; n >= 0 {
				continue
			}
			args := append(strings.Fields(c.name), c.make(g)...)
			if !isFixed(c.name) {
				args = g.mutate(args)
			}
			if !excessive(args) && (g.s.moved || !fleeting(args)) {
				return g.vary(args)
			}
			break
		}
	}
}

// mutate makes a command wrong now and then.
func (g *generator) mutate(args []string) []string {
	if !g.chance(0.07) || len(args) < 2 || slices.ContainsFunc(args, isLexKey) {
		return args
	}
	args = slices.Clone(args)
	at := 1 + g.IntN(len(args)-1)
	switch g.IntN(6) {
	case 0:
		return slices.Delete(args, at, at+1)
	case 1:
		return append(args, g.value())
	case 2:
		return slices.Insert(args, at, args[at])
	case 3:
		args[at] = g.value()
	case 4:
		args[at] = g.edgeInt()
	default:
		other := 1 + g.IntN(len(args)-1)
		args[at], args[other] = args[other], args[at]
	}
	return args
}

// vary changes the case of the words. The case must not matter.
func (g *generator) vary(args []string) []string {
	if !g.chance(0.15) {
		return args
	}
	args = slices.Clone(args)
	for i, a := range args {
		if len(a) > 1 && (i == 0 || strings.ToUpper(a) == a) {
			switch g.IntN(3) {
			case 0:
				args[i] = strings.ToLower(a)
			case 1:
				args[i] = a[:1] + strings.ToLower(a[1:])
			}
		}
	}
	return args
}

// excessive reports whether a command would take gigabytes, or wait.
func excessive(args []string) bool {
	number := func(at int) int64 {
		if len(args) <= at {
			return 0
		}
		n, err := strconv.ParseInt(args[at], 10, 64)
		if err != nil {
			return 0
		}
		return n
	}
	switch strings.ToUpper(args[0]) {
	case "SETRANGE":
		return number(2) > 5000 && number(2) < 1<<30
	case "ZRANDMEMBER", "HRANDFIELD", "SRANDMEMBER":
		return number(2) < -1000 // this number of random members is too large
	}
	return false
}

// fleeting reports whether a command sets an expiry in the near future. The real clock could pass such an expiry
// between the two servers' replies. The command may be in the arguments of a script.
func fleeting(args []string) bool {
	if strings.HasPrefix(strings.ToUpper(args[0]), "EVAL") {
		for i := 3; i < len(args); i++ {
			if fleeting(args[i:]) {
				return true
			}
		}
		return false
	}
	near := func(text string) bool {
		n, err := strconv.ParseInt(text, 10, 64)
		return err == nil && n > 0 && n < 100
	}
	for i := 1; i < len(args); i++ {
		span := false
		switch strings.ToUpper(args[0]) {
		case "EXPIRE", "PEXPIRE", "SETEX", "PSETEX", "RESTORE":
			span = i == 2
		case "SET", "GETEX":
			span = strings.EqualFold(args[i-1], "EX") || strings.EqualFold(args[i-1], "PX")
		}
		if span && near(args[i]) {
			return true
		}
	}
	return false
}

func (g *generator) chance(p float64) bool { return g.Float64() < p }

func (g *generator) pick(of ...string) string { return of[g.IntN(len(of))] }

// some returns each option, a few words, with probability p, in any order. At times it repeats one of them.
func (g *generator) some(p float64, options ...string) []string {
	var out []string
	for _, i := range g.Perm(len(options)) {
		for g.chance(p) {
			out = append(out, strings.Fields(options[i])...)
			if g.chance(0.95) {
				break
			}
		}
	}
	return out
}

// list returns between lo and hi results of one.
func (g *generator) list(lo, hi int, one func() string) []string {
	var out []string
	for range lo + g.IntN(hi-lo+1) {
		out = append(out, one())
	}
	return out
}
