package clients

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"cellserver/commands"
	"cellserver/internal/config"
)

// Registry holds all connections. It implements [commands.Clients].
type Registry struct {
	config  func() *config.Config
	blocked atomic.Int64 // clients whose command waits
	pause   atomic.Pointer[pause]

	mu     sync.Mutex // guards byID and nextID
	byID   map[int64]*Entry
	nextID int64
}

// New returns a registry without clients. config returns the configuration in force.
func New(config func() *config.Config) *Registry {
	return &Registry{config: config, byID: map[int64]*Entry{}}
}

// Add registers a connection: it initializes e and sets the id of the connection. now is the
// logical time in Unix nanoseconds.
func (r *Registry) Add(e *Entry, c *commands.Conn, now int64) {
	e.Conn, e.created, e.registry = c, now, r
	e.Publish(nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nextID++
	c.ID = r.nextID
	r.byID[c.ID] = e
}

// Remove removes a connection that has closed.
func (r *Registry) Remove(e *Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byID, e.Conn.ID)
}

// Len returns the number of connections.
func (r *Registry) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.byID)
}

// Blocked returns the number of clients whose command waits.
func (r *Registry) Blocked() int64 { return r.blocked.Load() }

func (r *Registry) find(id int64) *Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[id]
}

// Conn returns the connection of an id, nil if there is no such connection. The caller may use only
// its ID, Link and Subs.
func (r *Registry) Conn(id int64) *commands.Conn {
	if e := r.find(id); e != nil {
		return e.Conn
	}
	return nil
}

// all returns the clients in the order of connecting.
func (r *Registry) all() []*Entry {
	r.mu.Lock()
	all := make([]*Entry, 0, len(r.byID))
	for _, e := range r.byID {
		all = append(all, e)
	}
	r.mu.Unlock()
	slices.SortFunc(all, func(a, b *Entry) int { return cmp.Compare(a.Conn.ID, b.Conn.ID) })
	return all
}

// List implements [commands.Clients].
func (r *Registry) List(c *commands.Call) []commands.ClientInfo {
	r.publishSelf(c)
	var list []commands.ClientInfo
	for _, e := range r.all() {
		list = append(list, e.info())
	}
	return list
}

// Self implements [commands.Clients].
func (r *Registry) Self(c *commands.Call) commands.ClientInfo {
	r.publishSelf(c)
	info, _ := r.Find(c.Conn.ID)
	return info
}

// publishSelf publishes the state of the calling client during its batch. Inside EXEC its last
// command is EXEC, as in Redis.
func (r *Registry) publishSelf(c *commands.Call) {
	last := c.Cmd
	if c.Conn.Transaction.Running {
		last = commands.Lookup([]byte("exec"))
	}
	if e := r.find(c.Conn.ID); e != nil {
		e.Publish(last)
	}
}

// Find implements [commands.Clients].
func (r *Registry) Find(id int64) (commands.ClientInfo, bool) {
	if e := r.find(id); e != nil {
		return e.info(), true
	}
	return commands.ClientInfo{}, false
}

// Kill implements [commands.Clients].
func (r *Registry) Kill(self *commands.Conn, match func(*commands.ClientInfo) bool) (n int) {
	for _, e := range r.all() {
		info := e.info()
		switch {
		case !match(&info):
		case e.Conn == self:
			self.Modes.Leaving = true
			n++
		case !e.killed.Swap(true): // a command that waits ends with its connection
			e.Conn.Link.Peer.Close()
			n++
		}
	}
	return n
}

// Unblock implements [commands.Clients].
func (r *Registry) Unblock(id int64, withError bool) bool {
	how := UnblockedTime
	if withError {
		how = UnblockedErr
	}
	e := r.find(id)
	if e == nil || !e.unblock(how) {
		return false
	}
	e.Conn.Link.Peer.Wake()
	return true
}

// WakeAll implements [commands.Clients]. It wakes all clients: one may be about to wait.
func (r *Registry) WakeAll() {
	for _, e := range r.all() {
		e.Conn.Link.Peer.Wake()
	}
}
