package commands

// Refusal is an error of the edge about a new configuration that knows which directive it is about.
type Refusal struct {
	Directive string
	Reason    error
}

// Error gives the reason alone.
func (r *Refusal) Error() string { return r.Reason.Error() }

// Unwrap gives the reason.
func (r *Refusal) Unwrap() error { return r.Reason }
