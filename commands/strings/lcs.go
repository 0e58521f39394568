package strings

import (
	"math"
	"slices"

	"cellserver/commands"
)

// LCS key1 key2 replies with the longest common subsequence of two strings. With LEN it replies
// with its length. With IDX it replies with the positions of its parts in both strings, last part
// first.
var _ = commands.Register(&commands.Command{
	Name: "lcs", Arity: -3, Flags: commands.ReadOnly, Keys: commands.TwoKeys, Group: commands.GroupString,
	Run: lcs, Cost: costOfLCS,
})

const (
	errLCSType    commands.Error = "ERR The specified keys must contain string values"
	errLCSOptions commands.Error = "ERR If you want both the length and indexes, please just use IDX."
	errLCSTooLong commands.Error = "ERR String too long for LCS"
	errLCSMemory  commands.Error = "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len"
)

type lcsOptions struct {
	length, indexes  bool
	minMatch         int64
	withMatchLengths bool
}

func lcs(c *commands.Call) error {
	ea, eb := c.Tx.Read(c.Args[1]), c.Tx.Read(c.Args[2])
	if commands.CheckString(&ea) != nil || commands.CheckString(&eb) != nil {
		return errLCSType
	}
	o, err := readLCSOptions(c)
	if err != nil {
		return err
	}
	a, b := ea.Bytes(nil), eb.Bytes(nil)
	if len(a) >= math.MaxUint32-1 || len(b) >= math.MaxUint32-1 {
		return errLCSTooLong
	}
	if cells := int64(len(a)+1) * int64(len(b)+1); cells > c.Server.Config().ProtoMaxBulkLen/4 {
		return errLCSMemory
	}
	t := newLCSTable(a, b)
	switch {
	case o.indexes:
		replyMatches(c, t, o)
	case o.length:
		c.Out.Int(int64(t.length))
	default:
		c.Out.Bulk(t.common())
	}
	return nil
}

// costOfLCS counts the cells of the table. A cell takes less than a step.
func costOfLCS(c *commands.Call) int {
	const cellsPerStep = 32
	a, b := c.Tx.Peek(c.Args[1]), c.Tx.Peek(c.Args[2])
	if commands.CheckString(&a) != nil || commands.CheckString(&b) != nil {
		return 0
	}
	return (stringLen(&a) + 1) * (stringLen(&b) + 1) / cellsPerStep
}

func readLCSOptions(c *commands.Call) (o lcsOptions, err error) {
	for i := 3; i < len(c.Args); i++ {
		switch a := c.Args[i]; {
		case commands.Is(a, "idx"):
			o.indexes = true
		case commands.Is(a, "len"):
			o.length = true
		case commands.Is(a, "withmatchlen"):
			o.withMatchLengths = true
		case commands.Is(a, "minmatchlen") && i+1 < len(c.Args):
			i++
			if o.minMatch, err = c.Int(i); err != nil {
				return o, err
			}
		default:
			return o, commands.ErrSyntax
		}
	}
	if o.indexes && o.length {
		return o, errLCSOptions
	}
	return o, nil
}

// lcsTable has the way back through the lengths of the longest common subsequences of all pairs of prefixes.
// The lengths themselves would take 32 times the memory, and many clients may send LCS at once.
type lcsTable struct {
	a, b   []byte
	length uint32   // of the longest common subsequence
	back   []uint64 // len(a) rows of len(b) bits; see leavesOutA
}

func newLCSTable(a, b []byte) *lcsTable {
	t := &lcsTable{a: a, b: b, back: make([]uint64, (len(a)*len(b)+63)/64)}
	long, short, ofLong, ofShort := a, b, len(b), 1 // and the distances of the bits of their bytes
	if len(a) < len(b) {
		long, short, ofLong, ofShort = b, a, 1, len(b)
	}
	lens := make([]uint32, len(short)+1) // of a prefix of the long string with every prefix of the short one
	for i := range long {
		without := uint32(0) // the length without both last bytes
		for j := range short {
			withoutA, withoutB := lens[j+1], lens[j]
			if len(a) < len(b) {
				withoutA, withoutB = withoutB, withoutA
			}
			next := max(withoutA, withoutB)
			if long[i] == short[j] {
				next = without + 1
			} else if withoutA > withoutB {
				k := i*ofLong + j*ofShort
				t.back[k/64] |= 1 << (k % 64)
			}
			without, lens[j+1] = lens[j+1], next
		}
	}
	t.length = lens[len(short)]
	return t
}

// leavesOutA reports whether the way back from two bytes, which differ, leaves out that of a. Otherwise it
// leaves out that of b.
func (t *lcsTable) leavesOutA(i, j int) bool {
	k := i*len(t.b) + j
	return t.back[k/64]&(1<<(k%64)) != 0
}

// walk goes back from the ends of both strings, and calls f with the positions of each common byte,
// last byte first. If several ways are possible, it takes the way that Redis takes.
func (t *lcsTable) walk(f func(i, j int)) {
	for i, j := len(t.a), len(t.b); i > 0 && j > 0; {
		switch {
		case t.a[i-1] == t.b[j-1]:
			i, j = i-1, j-1
			f(i, j)
		case t.leavesOutA(i-1, j-1):
			i--
		default:
			j--
		}
	}
}

// common returns the longest common subsequence.
func (t *lcsTable) common() []byte {
	n := t.length
	s := make([]byte, n)
	t.walk(func(i, _ int) {
		n--
		s[n] = t.a[i]
	})
	return s
}

// lcsMatch is a run of common bytes: its positions in both strings, and its length.
type lcsMatch struct{ a, b, n int64 }

// matches returns the runs, last run first.
func (t *lcsTable) matches() []lcsMatch {
	var runs []lcsMatch
	t.walk(func(i, j int) {
		m := lcsMatch{int64(i), int64(j), 1}
		if k := len(runs) - 1; k >= 0 && runs[k].a == m.a+1 && runs[k].b == m.b+1 {
			m.n += runs[k].n
			runs[k] = m
			return
		}
		runs = append(runs, m)
	})
	return runs
}

func replyMatches(c *commands.Call, t *lcsTable, o lcsOptions) {
	matches := slices.DeleteFunc(t.matches(), func(m lcsMatch) bool { return m.n < o.minMatch })
	w := c.Out
	w.Map(2)
	w.BulkString("matches")
	w.Array(len(matches))
	for _, m := range matches {
		if o.withMatchLengths {
			w.Array(3)
		} else {
			w.Array(2)
		}
		for _, from := range [...]int64{m.a, m.b} {
			w.Array(2)
			w.Int(from)
			w.Int(from + m.n - 1)
		}
		if o.withMatchLengths {
			w.Int(m.n)
		}
	}
	w.BulkString("len")
	w.Int(int64(t.length))
}
