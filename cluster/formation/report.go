package formation

// Milliseconds between two log lines.
const (
	reportChanged = 1_000  // if the reason changes
	reportSame    = 30_000 // if it stays the same
)

// Report says which decisions are worth a log line, so that a node that waits for long does not fill its log.
type Report struct {
	last string
	at   int64
	any  bool
}

// Line reports whether a decision is worth a log line. The time is in milliseconds, of any clock that does
// not go back.
func (r *Report) Line(d Decision, now int64) bool {
	rest := int64(reportChanged)
	if d.Why == r.last {
		rest = reportSame
	}
	if r.any && d.Action == Wait && now-r.at < rest {
		return false
	}
	r.last, r.at, r.any = d.Why, now, true
	return true
}
