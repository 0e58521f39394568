package flight

import (
	"slices"
	"strconv"

	"cellserver/internal/quote"
	"cellserver/internal/rediserr"
	"cellserver/internal/word"
	"cellserver/limiters"
	"cellserver/limiters/adaptive"
)

// shares are the partitions of a limit.
type shares []share

// share is a partition, which may have a percentage of a limit. A percent of 0 is a partition that nobody
// asks for any more. Its calls still count.
type share struct {
	name    []byte
	percent int64
}

// find returns the index of a partition, -1 if there is no such one.
func (s shares) find(name []byte) int {
	for i := range s {
		if string(s[i].name) == string(name) {
			return i
		}
	}
	return -1
}

// add adds a partition. It reports whether there is room for it.
func (s *shares) add(one share) bool {
	if len(*s) == adaptive.MostPartitions {
		return false
	}
	*s = append(*s, one)
	return true
}

// equal reports whether two lists are the same.
func (s shares) equal(other shares) bool {
	return slices.EqualFunc(s, other, func(a, b share) bool {
		return a.percent == b.percent && string(a.name) == string(b.name)
	})
}

// readShares parses the words after PARTITION: name OF name percent [name percent]…
func (p *enterParams) readShares(a *limiters.Args) {
	own, of := a.Next("partition"), a.Next("of")
	if a.Err == nil && !isShareName(own) {
		a.Fail(errShareName("partition", own))
	}
	if !word.Is(of, "of") {
		a.Fail(limiters.SyntaxError("'PARTITION' needs OF after the name, not " + quote.Word(of)))
	}
	together := int64(0)
	for a.Err == nil && a.Left() > 1 && enterWord(a.More()) < 0 {
		one := share{a.Next("name"), a.Integer("percent")}
		together += one.percent
		switch {
		case a.Err != nil:
		case !isShareName(one.name):
			a.Fail(errShareName("name", one.name))
		case p.shares.find(one.name) >= 0:
			a.Fail(limiters.SyntaxError("the partition " + quote.Word(one.name) + " repeats"))
		case one.percent < 1 || one.percent > 100:
			a.Fail(a.Explain(errPercent))
		case together > 100:
			a.Fail(rediserr.Error("ERR the partitions have " + strconv.FormatInt(together, 10) +
				" percent together: use at most 100"))
		case !p.shares.add(one):
			a.Fail(errShares)
		}
	}
	if p.own = p.shares.find(own); p.own < 0 {
		a.Fail(rediserr.Error("ERR partition " + quote.Word(own) + " is not among the names after OF"))
	}
}

// isShareName reports whether a word may name a partition. The names of the limit's own keys may not.
func isShareName(name []byte) bool {
	const longest = 32
	for _, c := range name {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		if !letter && c != '_' && c != '.' && c != '-' {
			return false
		}
	}
	return len(name) > 0 && len(name) <= longest && string(name) != stateSuffix && enterWord(name) < 0
}

// errShareName says why a word may not name a partition. argument is the name of its argument.
func errShareName(argument string, name []byte) error {
	cause := " is not the name of a partition"
	switch {
	case string(name) == stateSuffix:
		cause = " is reserved for the state of the limit"
	case enterWord(name) >= 0:
		cause = " is an option of CL.ENTER, and no partition"
	}
	return rediserr.Error("ERR " + argument + " " + quote.Word(name) + cause +
		": use another name, of 1 to 32 letters, digits, and the signs _ . -")
}

// takeShares takes the partitions of a request. A partition that the request does not name stays while
// calls are under way in it, and has no percentage.
func (f *Flight) takeShares(asked shares) error {
	if len(asked) == 0 || asked.equal(f.kept.shares) {
		return nil
	}
	all := asked
	for i, one := range f.kept.shares {
		if all.find(one.name) >= 0 {
			continue
		}
		n, err := f.calls(i)
		if err != nil {
			return err
		}
		if n > 0 && !all.add(share{name: one.name}) {
			return errShares
		}
	}
	f.kept.shares, f.changed = all, true
	return nil
}
