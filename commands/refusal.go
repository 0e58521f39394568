package commands

// Refusal is an error of the edge about a new configuration. It names the wrong directive.
type Refusal struct {
	Directive string
	Reason    error
}

// Error returns the text of the reason, without the directive.
func (r *Refusal) Error() string { return r.Reason.Error() }

// Unwrap returns the reason.
func (r *Refusal) Unwrap() error { return r.Reason }
