package stats

import (
	"sync/atomic"

	"cellserver/commands"
)

// Commands holds the counters of every command, by the index of the command.
type Commands struct {
	all    []Counters
	Leases commands.Leases // of all connections
}

// Of returns the counters of a command.
func (s *Commands) Of(c *commands.Command) *Counters { return &s.all[c.Index()] }

// Run returns the number of calls of all commands.
func (s *Commands) Run() (n int64) {
	for i := range s.all {
		n += s.all[i].Calls.Load()
	}
	return n
}

// Reset sets all counters to zero.
func (s *Commands) Reset() {
	for i := range s.all {
		s.all[i].reset()
	}
	for _, n := range []*atomic.Int64{&s.Leases.Asks, &s.Leases.Granted, &s.Leases.Returned} {
		n.Store(0)
	}
}

// Decided implements [commands.CommandStats]. It does not count allowed requests, because all other
// calls are allowed.
func (s *Commands) Decided(cmd *commands.Command, limited, looked bool) {
	switch {
	case looked:
		s.Of(cmd).Looked.Add(1)
	case limited:
		s.Of(cmd).Limited.Add(1)
	}
}

// Leased implements [commands.CommandStats].
func (s *Commands) Leased(by *commands.Conn, granted, returned int64) {
	s.Leases.Add(granted, returned)
	by.Link.Leases.Add(granted, returned)
}

// Durations implements [commands.CommandStats].
func (s *Commands) Durations(cmd *commands.Command) (calls int64, steps []commands.DurationStep) {
	st := s.Of(cmd)
	if st.Calls.Load() == 0 {
		return 0, nil
	}
	for bucket := 0; bucket < Buckets; bucket += 4 {
		before := calls
		for i := range 4 {
			calls += st.Took[bucket+i].Load()
		}
		if calls > before {
			steps = append(steps, commands.DurationStep{Micros: BucketEnd(bucket+3) / 1e3, Calls: calls})
		}
	}
	return calls, steps
}

// Counters hold the numbers of one command. All methods are safe for concurrent use.
type Counters struct {
	Calls    atomic.Int64
	Nanos    atomic.Int64          // total time of all calls
	Rejected atomic.Int64          // calls that the server refused before they ran
	Failed   atomic.Int64          // calls that replied with an error
	Limited  atomic.Int64          // calls that a limiter refused
	Looked   atomic.Int64          // calls of a limiter that consume nothing: CL.PROBE, PEEK, a quantity of 0
	Took     [Buckets]atomic.Int64 // histogram of the durations
}

// Add counts n calls that took some nanoseconds in total.
func (c *Counters) Add(n, took int64) {
	c.Calls.Add(n)
	c.Nanos.Add(took)
	c.Took[bucketOf(took/n)].Add(n)
}

func (c *Counters) reset() {
	for _, n := range []*atomic.Int64{&c.Calls, &c.Nanos, &c.Rejected, &c.Failed, &c.Limited, &c.Looked} {
		n.Store(0)
	}
	for i := range c.Took {
		c.Took[i].Store(0)
	}
}

// Decisions are the numbers of decisions of a limiter's command, by outcome.
type Decisions struct{ Allowed, Limited, Looked int64 }

// Decisions returns the decisions of a command's calls.
func (c *Counters) Decisions() Decisions {
	d := Decisions{Limited: c.Limited.Load(), Looked: c.Looked.Load()}
	d.Allowed = max(c.Calls.Load()-c.Failed.Load()-d.Limited-d.Looked, 0)
	return d
}
