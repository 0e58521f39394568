package commands

import (
	"log/slog"

	"cellserver/internal/config"
	"cellserver/internal/topk"
	"cellserver/limiters/rules"
	"cellserver/store"
)

// Server is what commands may use of the server beside the keyspace. Each field is one
// concern with a narrow interface; the concern owns its state and its lock. A test lists
// which family of commands may use which field.
type Server struct {
	Store    *store.Store
	Clock    Clock
	Log      *slog.Logger
	Settings Settings
	Rules    *rules.Rules
	Clients  Clients
	PubSub   Broker
	Tracker  Tracker
	Monitors Monitors
	Stats    Stats
	Disk     Persistence
	Control  Control
}

// Config returns the configuration in force. It must not be changed.
func (s *Server) Config() *config.Config { return s.Settings.Current() }

// Clock is the server's time, which the edge owns.
type Clock interface {
	// Now is the logical time in Unix nanoseconds. Throttling, expiry and TIME follow it.
	// DEBUG CLOCK may set it.
	Now() int64
	// Monotonic is the real time since some fixed moment, in nanoseconds: for measuring.
	Monotonic() int64
	// Read returns Now and Monotonic.
	Read() (now, monotonic int64)
	// Until returns in how many nanoseconds the logical time comes; math.MaxInt64 if the clock stands
	// before that time.
	Until(unixNano int64) int64
	// Set stops the logical clock at a time. Advance moves the clock on, and stops it first if
	// it runs. Resume makes the clock follow the real time again.
	Set(unixNano int64)
	Advance(nanos int64)
	Resume()
}

// Settings are the configuration of the running server: CONFIG.
type Settings interface {
	// Current returns the configuration in force. It must not be changed.
	Current() *config.Config
	// Change makes the next configuration and puts it into force. One Change runs at a time. If
	// make or the edge refuses, the old configuration stays; the edge's error is in refused.
	Change(make func(old *config.Config) (*config.Config, error)) (refused, err error)
	// Rewrite writes the configuration to the file that the server was started with. known is
	// false if there is no such file.
	Rewrite() (known bool, err error)
}

// Control is the life of the server.
type Control interface {
	// RunID names this run of the server: 40 hexadecimal digits. In cluster mode it is the
	// node's id.
	RunID() string
	// Shutdown begins to stop the server and returns at once. known is false if the server
	// cannot be stopped this way.
	Shutdown(ShutdownMode) (known bool, err error)
	// SetActiveExpire switches the background removal of expired keys on or off.
	SetActiveExpire(on bool)
}

// ShutdownMode is how SHUTDOWN was asked for. Save and NoSave exclude each other; without
// both, the configuration decides.
type ShutdownMode struct {
	Save, NoSave bool
	Now          bool // waits for no client
	Force        bool // stops even if saving fails
}

// Clients are the connections of the server: CLIENT. A command sees what a client has
// published of itself, and never its state.
type Clients interface {
	// List returns every client, in the order in which they connected. The caller publishes its
	// own state first.
	List(c *Call) []ClientInfo
	// Self returns the caller's own client.
	Self(c *Call) ClientInfo
	// Find returns the client of an id.
	Find(id int64) (ClientInfo, bool)
	// Kill closes every client that match accepts, and returns how many. self still gets its reply.
	Kill(self *Conn, match func(*ClientInfo) bool) int
	// Unblock ends the blocking command of another client: as a timeout does, or with an error.
	Unblock(id int64, withError bool) bool
	// Pause holds back commands until a Unix millisecond: all, or those that may write. now is
	// in Unix milliseconds. The later end and the stricter kind win.
	Pause(now, until int64, all bool)
	// Unpause ends all pauses.
	Unpause()
	// WakeAll runs every waiting command again, because the logical clock was set.
	WakeAll()
}

// Broker delivers published messages to subscribers: PUBLISH and SUBSCRIBE.
type Broker interface {
	// Subscribe and Unsubscribe change the subscriptions of the calling connection, and report
	// whether something changed.
	Subscribe(c *Conn, kind Subject, name string) bool
	Unsubscribe(c *Conn, kind Subject, name string) bool
	// Leave ends all subscriptions of a connection, without a message.
	Leave(c *Conn)
	// Publish sends a message and returns the number of deliveries.
	Publish(by *Conn, channel, message []byte) int
	// Channels returns the names of all channels with subscribers, sorted.
	Channels() []string
	// Subscribers returns the number of subscribers of a channel.
	Subscribers(channel []byte) int
	// Patterns returns the number of patterns with subscribers.
	Patterns() int
}

// Subject is what a subscription names: a channel or a pattern of channels.
type Subject uint8

// The kinds of subscriptions.
const (
	Channel Subject = iota
	Pattern
)

// Tracker tells clients which keys of their caches have changed: CLIENT TRACKING.
type Tracker interface {
	Start(c *Conn, o *TrackingOptions)
	Stop(c *Conn)
	// FlushedNothing tells of a FLUSHALL or FLUSHDB that found no keys, as Redis does.
	FlushedNothing(by *Conn)
}

// Monitors are the clients that see every command: MONITOR.
type Monitors interface {
	Add(c *Conn)
	Remove(c *Conn)
}

// Stats are what the server counts.
type Stats struct {
	Commands CommandStats
	Limited  LimitedKeys
	Slow     SlowLog
	Latency  LatencyEvents
	Report   Report
}

// CommandStats count the calls of commands.
type CommandStats interface {
	// Decided counts a decision of a limiter's command that limited, or only looked.
	Decided(cmd *Command, limited, looked bool)
	// Durations returns how many calls took up to so many microseconds, cumulative, for the steps
	// at which the number grows.
	Durations(cmd *Command) (calls int64, steps []DurationStep)
	// Reset is CONFIG RESETSTAT: it resets every counter of the server.
	Reset()
}

// DurationStep says that so many calls took at most so many microseconds.
type DurationStep struct{ Micros, Calls int64 }

// LimitedKeys counts the keys that limiters refuse most often.
type LimitedKeys interface {
	Add(db int, key []byte)
	// Top returns the n highest counts of a database, and with reset forgets the database.
	Top(db, n int, reset bool) []topk.Count
}

// SlowLog keeps commands that took long: SLOWLOG.
type SlowLog interface {
	// Newest returns up to n entries, the newest first; all of them if n is -1.
	Newest(n int64) []SlowEntry
	Len() int
	Reset()
}

// SlowEntry is a command that took long.
type SlowEntry struct {
	ID, Seconds, Micros int64 // Seconds: logical Unix time
	Args                []string
	Client, Name        string
}

// LatencyEvents keeps spikes of latency: LATENCY.
type LatencyEvents interface {
	// Event returns a copy of an event, without spikes if there is none.
	Event(name string) LatencyEvent
	// All returns copies of all events, by name.
	All() []LatencyEvent
	// Forget forgets one event, or all of them for nil, and returns how many.
	Forget(name []byte) int
}

// LatencyEvent is the spikes of one kind of event.
type LatencyEvent struct {
	Name   string
	Worst  int64   // milliseconds, since the start
	Spikes []Spike // the oldest first, at most one a second
}

// Spike is an event that took long.
type Spike struct{ Seconds, Millis int64 }

// Report describes the server as text.
type Report interface {
	// Info returns the sections of INFO that wanted accepts, by their titles. Optional sections
	// are not among the default ones.
	Info(now int64, wanted func(title string, optional bool) bool) string
}
