package flight

import "cellserver/limiters/adaptive"

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
	if err = f.read(); err != nil {
		return s, err
	}
	for i := plain; i < len(f.kept.shares); i++ {
		n, err := f.calls(i)
		if err != nil {
			return s, err
		}
		if s.Calls += n; i >= 0 {
			one := &f.kept.shares[i]
			s.Parts = append(s.Parts, ShownPart{string(one.name), one.percent, n})
		}
	}
	s.State, s.Exists = f.kept.State, f.state.exists || s.Calls > 0
	return s, nil
}
