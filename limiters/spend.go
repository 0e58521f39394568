package limiters

// spenders parse the requests that units of a lease may answer, by the name of their command. The number is
// how many parameters come before the quantity.
var spenders = map[string]struct {
	parameters int
	read       func(*Args) error
}{
	"cl.check":    {0, func(a *Args) error { return a.Options(OptQuantity) }},
	"cl.log":      {2, spender(ReadLog)},
	"cl.sliding":  {2, spender(ReadSliding)},
	"cl.throttle": {3, spender(ReadThrottle)},
	"cl.window":   {2, spender(ReadWindow)},
	"gcra":        {3, spender(ReadGCRA)},
	"throttle":    {3, spender(ReadThrottlecrab)},
}

func spender[L any](read func(*Args) (L, error)) func(*Args) error {
	return func(a *Args) error {
		_, err := read(a)
		return err
	}
}

// Spends reports whether units of a lease may answer a request. `name` is its command in lower case, and
// `words` are those after the key. The result `limit` has those words that a lease of the limit repeats: it
// lacks the quantity and the options of one request. [Args] has both. If Spends returns false, only the
// server itself can answer.
func (a *Args) Spends(name string, words [][]byte) (limit [][]byte, ok bool) {
	s, known := spenders[name]
	if !known || len(words) < s.parameters {
		return nil, false
	}
	if name == "cl.check" { // a number may be a key of the rule or the quantity: only the server knows
		for s.parameters < len(words) && optionOf(words[s.parameters], ^Option(0)) < 0 {
			if IsNumeric(words[s.parameters]) {
				return nil, false
			}
			s.parameters++
		}
		a.Begin(name, words[s.parameters:])
	} else {
		a.Begin(name, words)
	}
	if s.read(a) != nil || a.Has(OptGap|OptStrict) {
		return nil, false
	}
	limit, rest := words[:s.parameters:s.parameters], words[s.parameters:]
	if len(rest) > 0 && IsNumeric(rest[0]) {
		rest = rest[1:]
	}
	for len(rest) > 0 {
		option, n := optionOf(rest[0], ^Option(0)), 1
		switch takes := allOptions[option].takes; {
		case takes == unitOperand:
			n += min(1, int(calendarUnit(rest[1:])))
		case takes != noOperand:
			n++
		}
		if Option(1)<<option&(requestOptions|OptQuantity|OptTokens) == 0 {
			limit = append(limit, rest[:n]...)
		}
		rest = rest[n:]
	}
	return limit, true
}
