package ruleset

// Source is the state of the rules-file or the rules-url. Times are Unix nanoseconds, 0 for never.
type Source struct {
	Kind     string // "file" or "url"; "" for none
	Right    int64  // when it last had valid rules, or answered that nothing has changed
	Changed  int64  // when the rules in force came into force
	Failures int64  // how often it did not answer, or had wrong rules
	Failing  bool   // the last attempt to read it failed
}

// Succeeded records that the source has valid rules at now. changed says whether new rules came into force.
func (s *Source) Succeeded(now int64, changed bool) {
	s.Right, s.Failing = now, false
	if changed {
		s.Changed = now
	}
}

// Failed records that the source does not answer, or that its rules are wrong.
func (s *Source) Failed() { s.Failing, s.Failures = true, s.Failures+1 }

// Watch sets the function that returns the state of the source of the rules. Call it before the first
// request.
func (r *Rules) Watch(source func() Source) { r.watched = source }

// Source returns the state of the source of the rules.
func (r *Rules) Source() Source {
	if r.watched == nil {
		return Source{}
	}
	return r.watched()
}
