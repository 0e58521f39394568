package commands

import (
	"log/slog"
	"net/netip"

	"cellserver/acl"
	"cellserver/internal/config"
	"cellserver/internal/topk"
	"cellserver/internal/topology"
	"cellserver/limiters/adaptive"
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// Server is all that commands may use of the server. Each field is one concern with a narrow
// interface. The concern owns its state and its lock. tests/reach_test.go lists which family of
// commands may use which field.
type Server struct {
	Store    *store.Store
	Clock    Clock
	Log      *slog.Logger
	Settings Settings
	Rules    *ruleset.Rules
	Clients  Clients
	Scripts  Scripts
	Stats    Stats
	Disk     Persistence
	Control  Control
	Users    *acl.Users
	Listeners
}

// Listeners are the connections that the server tells what others do.
type Listeners struct {
	PubSub   Broker
	Tracker  Tracker
	Monitors Monitors
	// KeyWaiters wait for keys: BLPOP.
	KeyWaiters KeyWaiters
	// RuleChanges hear of each change of a rule.
	RuleChanges RuleChanges
}

// Config returns the configuration in force. The caller must not change it.
func (s *Server) Config() *config.Config { return s.Settings.Current() }

// Clock is the time of the server. The edge owns it.
type Clock interface {
	// Now is the logical time in Unix nanoseconds. Limiters, expiry and TIME follow it.
	// DEBUG CLOCK may set it.
	Now() int64
	// Monotonic is the real time in nanoseconds since a fixed moment. It measures durations.
	Monotonic() int64
	// Read returns Now and Monotonic.
	Read() (now, monotonic int64)
	// Until returns in how many nanoseconds the logical time comes. It is math.MaxInt64 if the clock
	// stands before that time.
	Until(unixNano int64) int64
	// Steps returns how often the wall clock was set back, and by how many nanoseconds the logical time is
	// ahead of it.
	Steps() (back, gap int64)
	// Set stops the logical clock at a time.
	Set(unixNano int64)
	// Advance stops the logical clock if it runs, and moves it.
	Advance(nanos int64)
	// Resume makes the logical clock follow the real time again.
	Resume()
	// Step sets the wall clock under the server, as an operator or NTP would.
	Step(nanos int64)
}

// Settings hold the configuration of the running server: CONFIG.
type Settings interface {
	// Current returns the configuration in force. The caller must not change it.
	Current() *config.Config
	// Change calls make for the next configuration and puts it into force. One Change runs at a
	// time. err is the error of make, refused the error of the edge. After either, the old
	// configuration stays.
	Change(make func(old *config.Config) (*config.Config, error)) (refused, err error)
	// Rewrite writes the configuration to the configuration file. known is false if the server has
	// no such file.
	Rewrite() (known bool, err error)
	// UserFile returns the aclfile, nil if there is none.
	UserFile() UserFile
}

// UserFile is the file of ACL users.
type UserFile interface {
	// Name is the path, for errors.
	Name() string
	Read() ([]byte, error)
	// Write replaces the whole file, or nothing.
	Write(text []byte) error
}

// Control stops the server and switches its background work.
type Control interface {
	// RunID identifies this run of the server: 40 hexadecimal digits. In cluster mode it is the
	// id of the node.
	RunID() string
	// Topology returns the cluster that this server belongs to. It is nil if the server is alone.
	Topology() Topology
	// Replication makes the server follow another one. It is nil if the server cannot.
	Replication() Replication
	// Shutdown begins to stop the server and returns at once. known is false if the edge does not
	// support it.
	Shutdown(ShutdownMode) (known bool, err error)
	// SetActiveExpire switches the background removal of expired keys on or off.
	SetActiveExpire(on bool)
}

// ShutdownMode holds the options of SHUTDOWN. Save and NoSave exclude each other. Without both, the
// configuration decides.
type ShutdownMode struct {
	Save, NoSave bool
	Now          bool // does not wait for clients
	Force        bool // stops even if the save fails
}

// Clients are the connections of the server: CLIENT. A command sees the published state of a
// client, never the state itself.
type Clients interface {
	// List returns every client in the order of connecting. It first publishes the state of the
	// calling client.
	List(c *Call) []ClientInfo
	// Self returns the calling client.
	Self(c *Call) ClientInfo
	// Find returns the client of an id, and whether there is such a client.
	Find(id int64) (ClientInfo, bool)
	// Kill closes every client that match accepts, and returns their number. self gets its reply
	// first.
	Kill(self *Conn, match func(*ClientInfo) bool) int
	// Unblock ends the blocking command of another client, as its timeout does or with an error.
	// It returns false if the client does not wait.
	Unblock(id int64, withError bool) bool
	// Pause holds commands back until a Unix millisecond: all commands, or those that may write.
	// now is in Unix milliseconds. If a pause is in force, the later end and the stricter kind win.
	Pause(now, until int64, all bool)
	// Unpause ends all pauses.
	Unpause()
	// WakeAll runs every waiting command again, because the logical clock was set.
	WakeAll()
}

// Broker delivers published messages to subscribers: PUBLISH and SUBSCRIBE.
type Broker interface {
	// Subscribe subscribes the calling connection. It returns false if it was subscribed before.
	Subscribe(c *Conn, kind Subject, name string) bool
	// Unsubscribe ends a subscription. It returns false if there was no such subscription.
	Unsubscribe(c *Conn, kind Subject, name string) bool
	// Leave ends all subscriptions of a connection. It sends no message.
	Leave(c *Conn)
	// Publish sends a message to all subscribers and returns the number of deliveries. by is the
	// publishing connection.
	Publish(by *Conn, kind Subject, channel, message []byte) int
	// Steps returns about how many steps ([Cost]) it takes to publish a message.
	Steps(kind Subject, channel, message []byte) int
	// Receivers returns the number of deliveries that a message would have.
	Receivers(kind Subject, channel []byte) int
	// Channels returns the names of all channels with subscribers, sorted.
	Channels(kind Subject) []string
	// Subscribers returns the number of subscribers of a channel.
	Subscribers(kind Subject, channel []byte) int
	// Patterns returns the number of patterns with subscribers.
	Patterns() int
	// Without returns the ids of the connections that have a subscription for which allowed is false.
	Without(allowed func(name string, pattern bool) bool) map[int64]bool
}

// Tracker tells clients which keys in their caches have changed: CLIENT TRACKING.
type Tracker interface {
	// Start switches tracking on for a connection, or changes its options.
	Start(c *Conn, o *TrackingOptions)
	// Stop switches tracking off for a connection. It does nothing if tracking is off.
	Stop(c *Conn)
	// FlushedNothing sends the message of a FLUSHALL or FLUSHDB that found no keys. Redis sends it,
	// too. by is the connection that ran the command.
	FlushedNothing(by *Conn)
}

// Monitors are the connections that get a copy of every command: MONITOR.
type Monitors interface {
	// Add makes a connection a monitor.
	Add(c *Conn)
	// Remove does nothing if the connection is not a monitor.
	Remove(c *Conn)
}

// Logins watch the attempts to authenticate: AUTH, HELLO AUTH and the token of HTTP. They keep ACL LOG.
type Logins interface {
	// Try calls right, which compares the password of a user, and returns its result. The zero address has no
	// limit. If clients of another address have guessed too often (auth-fail-limit), Try does not call right
	// for a new password of that address. Then wait is the time until the next guess in nanoseconds;
	// otherwise it is 0.
	Try(addr netip.Addr, name, password []byte, right func() bool) (ok bool, wait int64)
	// Begin is Try for a password that another server compares. If `wait` is 0, call end once.
	Begin(addr netip.Addr, name, password []byte) (end func(Outcome), wait int64)
	// Note adds an entry to ACL LOG: a failed attempt, or a command that its user may not run.
	Note(e Denial)
	// Denials returns up to n entries of ACL LOG, newest first.
	Denials(n int64) []Denial
	// Forget removes all entries of ACL LOG.
	Forget()
}

// Outcome says how an attempt to authenticate has ended.
type Outcome int

// The outcomes. Unknown is one that nobody has compared.
const (
	Wrong Outcome = iota
	Right
	Unknown
)

// Denial is one entry of ACL LOG: denials that differ in their time and their client only. At and Client are
// those of the last one.
type Denial struct {
	Count   int64
	Reason  acl.Denial
	Context string // "toplevel", "multi" or "lua"
	Object  string // the command, key or channel; of a failed attempt the name of the command, as the client sent it
	User    string
	At      int64  // logical time, Unix nanoseconds
	Client  string // the line of CLIENT LIST
}

// The contexts of denials.
const (
	ContextTop    = "toplevel"
	ContextMulti  = "multi"
	ContextScript = "lua"
)

// Stats are the counters of the server, and the logs of slow commands and of failed logins.
type Stats struct {
	Commands CommandStats
	Limited  LimitedKeys
	Meters   Meters
	Slow     SlowLog
	Latency  LatencyEvents
	Logins   Logins
	Report   Report
}

// CommandStats count the calls of commands.
type CommandStats interface {
	// Decided counts a limited call of a limiter's command, or a call that only looked: it consumed
	// nothing. All other calls count as allowed.
	Decided(cmd *Command, limited, looked bool)
	// Leased counts a question of a connection for a lease: the units that it got, and those that it
	// gave back.
	Leased(by *Conn, granted, returned int64)
	// Durations returns the number of calls and their cumulative histogram. It leaves out steps
	// without a new call.
	Durations(cmd *Command) (calls int64, steps []DurationStep)
	// Reset sets every counter of the server to zero: CONFIG RESETSTAT.
	Reset()
}

// DurationStep is one step of a cumulative histogram: Calls took at most Micros microseconds.
type DurationStep struct{ Micros, Calls int64 }

// LimitedKeys counts the keys that limiters refuse most often: CL.TOP.
type LimitedKeys interface {
	// Add counts a refusal for a key of a database.
	Add(db int, key []byte)
	// Top returns the n highest counts of a database, highest first. With reset it then forgets
	// the counts of the database.
	Top(db, n int, reset bool) []topk.Count
}

// Meters keep the open windows of adaptive limits on this node: CL.ENTER.
type Meters interface {
	// Get reads the window of a key, one that has not begun if there is none. It looks first at the place
	// of the last request of the client, and sets that of this one.
	Get(m *adaptive.Meter, db int, key []byte, at *adaptive.Place)
	// Put keeps the window of a key at the place of Get. ended is a window that has ended now.
	Put(m *adaptive.Meter, db int, key []byte, at *adaptive.Place, ended *adaptive.Ended)
}

// SlowLog keeps the commands that took longer than slowlog-log-slower-than: SLOWLOG.
type SlowLog interface {
	// Newest returns up to n entries, newest first; all entries if n is -1.
	Newest(n int64) []SlowEntry
	// Len returns the number of entries.
	Len() int
	// Reset removes all entries.
	Reset()
}

// SlowEntry is one entry of SLOWLOG.
type SlowEntry struct {
	ID, Seconds, Micros int64    // Seconds is the logical Unix time of the call, Micros its duration
	Args                []string // shortened, without secrets
	Client, Name        string   // address and name of the client
}

// LatencyEvents keeps latency spikes: LATENCY.
type LatencyEvents interface {
	// Event returns a copy of an event. An unknown event has no spikes.
	Event(name string) LatencyEvent
	// All returns copies of all events, sorted by name.
	All() []LatencyEvent
	// Forget removes one event, or all events if name is nil. It returns the number of removed
	// events.
	Forget(name []byte) int
}

// LatencyEvent holds the spikes of one kind of event.
type LatencyEvent struct {
	Name   string
	Worst  int64   // milliseconds; the longest duration since the start or the last reset
	Spikes []Spike // oldest first, at most one for each second
}

// Spike is one long event. Seconds is its Unix time, Millis its duration.
type Spike struct{ Seconds, Millis int64 }

// Report describes the server as text: INFO.
type Report interface {
	// Info returns the sections of INFO that wanted accepts. now is in Unix nanoseconds. It shows the ports
	// of other nodes for clients that come by the door. An optional section is not a default section.
	Info(now int64, door topology.Door, wanted func(title string, optional bool) bool) string

	// Status returns the numbers of the server as JSON.
	Status() string
}
