package ruleset

import "strings"

// Source is the state of the rules-file or the rules-url. Times are Unix nanoseconds, 0 for never.
type Source struct {
	Kind     string `json:"kind"`     // "file" or "url"; "" for none
	Right    int64  `json:"-"`        // when it last had valid rules, or answered that nothing has changed
	Changed  int64  `json:"-"`        // when the rules in force came into force
	Failing  bool   `json:"failing"`  // the last attempt to read it failed
	Failures int64  `json:"failures"` // how often it did not answer, or had wrong rules
	Reason   string `json:"error"`    // of the last failure, while it fails; of bounded length
}

// Succeeded records that the source has valid rules at now. changed says whether new rules came into force.
func (s *Source) Succeeded(now int64, changed bool) {
	s.Right, s.Failing, s.Reason = now, false, ""
	if changed {
		s.Changed = now
	}
}

// mostReason bounds the bytes of a reason.
const mostReason = 300

// Failed records that the source does not answer, or that its rules are wrong.
func (s *Source) Failed(reason error) {
	s.Failing, s.Failures = true, s.Failures+1
	s.Reason = strings.ToValidUTF8(reason.Error()[:min(len(reason.Error()), mostReason)], "")
}
