package limiters

import "cellserver/store"

// Scratch is reusable memory for one request to a limiter. Each connection keeps one. So a request
// allocates nothing, although it reaches its limiter through an interface.
type Scratch struct {
	Args   Args
	Entry  store.Entry
	Answer Answer
	Leased [1]Asked // the limit of a lease
}

// Release drops the references to the request. A nil Scratch is allowed.
func (r *Scratch) Release() {
	if r != nil {
		r.Args.Release()
		r.Entry, r.Leased = store.Entry{}, [1]Asked{}
	}
}
