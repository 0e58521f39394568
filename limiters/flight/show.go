package flight

import (
	"cellserver/limiters"
	"cellserver/limiters/adaptive"
	"cellserver/store"
)

// Shown is an adaptive limit as CL.LIMIT shows it.
type Shown struct {
	adaptive.State
	Calls  int64
	Exists bool // the limit has a state, or calls
	Parts  []ShownPart
}

// ShownPart is a partition of a limit. A percent of 0 is one that nobody asks for any more.
type ShownPart struct {
	Name    string
	Percent int64
	Calls   int64
}

// Show returns the limit and its calls.
func (f *Flight) Show() (s Shown, err error) {
	for i := -1; i < len(f.kept.shares); i++ {
		var e store.Entry
		var c crowd
		if err = f.holders(&e, i); err != nil {
			return s, err
		}
		c.add(limiters.LeasesIn(&e), f.now)
		if s.Calls += c.calls; i >= 0 {
			one := &f.kept.shares[i]
			s.Parts = append(s.Parts, ShownPart{string(one.name), one.percent, c.calls})
		}
	}
	s.State, s.Exists = f.kept.State, f.exists || s.Calls > 0
	return s, nil
}
