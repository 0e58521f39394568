package rules

// Source is how the rules-file or the rules-url fares. Times are Unix nanoseconds, 0 for never.
type Source struct {
	Kind     string // "file" or "url"; "" for none
	Right    int64  // when it last said rules that are right, or that nothing has changed
	Changed  int64  // when the rules in force came into force
	Failures int64  // how often it did not answer, or was refused
	Failing  bool   // the last time
}

// Succeeded records that the source is right at now. changed says whether new rules came into force.
func (s *Source) Succeeded(now int64, changed bool) {
	s.Right, s.Failing = now, false
	if changed {
		s.Changed = now
	}
}

// Failed records that the source does not answer, or is refused.
func (s *Source) Failed() { s.Failing, s.Failures = true, s.Failures+1 }

// Watch sets the function that tells how the source of the rules fares. Call it before the first request.
func (r *Rules) Watch(source func() Source) { r.watched = source }

// Source returns how the source of the rules fares.
func (r *Rules) Source() Source {
	if r.watched == nil {
		return Source{}
	}
	return r.watched()
}
