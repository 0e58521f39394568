package pubsub

import (
	"maps"
	"slices"
	"sync"

	"cellserver/commands"
	"cellserver/internal/glob"
	"cellserver/resp"
	"cellserver/server/listeners"
)

// Broker holds all subscriptions. It implements [commands.Broker].
type Broker struct {
	mu       sync.Mutex // guards the rest
	channels map[string][]*commands.Conn
	patterns listeners.List
}

// New returns a broker without subscribers.
func New() *Broker { return &Broker{channels: map[string][]*commands.Conn{}} }

// subscriptionBytes is the memory of a subscription in bytes without its name. It is an estimate.
const subscriptionBytes = 128

// names returns the channels or the patterns of a connection.
func names(c *commands.Conn, kind commands.Subject) *map[string]struct{} {
	if kind == commands.Pattern {
		return &c.Subs.Patterns
	}
	return &c.Subs.Channels
}

// Subscribe implements [commands.Broker].
func (b *Broker) Subscribe(c *commands.Conn, kind commands.Subject, name string) bool {
	own := names(c, kind)
	if _, already := (*own)[name]; already {
		return false
	}
	if *own == nil {
		*own = map[string]struct{}{}
	}
	(*own)[name] = struct{}{}
	c.Subs.Total.Add(1)
	c.Subs.Bytes += len(name) + subscriptionBytes
	b.mu.Lock()
	defer b.mu.Unlock()
	if kind == commands.Pattern {
		b.patterns.Add(c, name)
	} else {
		b.channels[name] = append(b.channels[name], c)
	}
	return true
}

// Unsubscribe implements [commands.Broker].
func (b *Broker) Unsubscribe(c *commands.Conn, kind commands.Subject, name string) bool {
	own := names(c, kind)
	if _, subscribed := (*own)[name]; !subscribed {
		return false
	}
	delete(*own, name)
	c.Subs.Total.Add(-1)
	c.Subs.Bytes -= len(name) + subscriptionBytes
	b.mu.Lock()
	defer b.mu.Unlock()
	if kind == commands.Pattern {
		b.patterns.Remove(c, name)
	} else if rest := listeners.Without(b.channels[name], c); len(rest) > 0 {
		b.channels[name] = rest
	} else {
		delete(b.channels, name)
	}
	return true
}

// Leave implements [commands.Broker].
func (b *Broker) Leave(c *commands.Conn) {
	for _, kind := range []commands.Subject{commands.Channel, commands.Pattern} {
		for _, name := range slices.Sorted(maps.Keys(*names(c, kind))) {
			b.Unsubscribe(c, kind, name)
		}
	}
	c.Subs.Channels, c.Subs.Patterns = nil, nil
}

// Publish implements [commands.Broker].
func (b *Broker) Publish(by *commands.Conn, channel, message []byte) (deliveries int) {
	return b.send(by, channel, func(*commands.Conn) ([]byte, bool) { return message, true })
}

// Tell calls message for each subscriber of a channel, and sends the result to that subscriber; nil sends
// nothing. message must not use the broker.
func (b *Broker) Tell(channel []byte, message func(to *commands.Conn) []byte) {
	b.send(nil, channel, func(to *commands.Conn) ([]byte, bool) {
		text := message(to)
		return text, text != nil
	})
}

// send calls message for each subscriber of a channel, and sends the result if message says so.
func (b *Broker) send(by *commands.Conn, channel []byte, message func(to *commands.Conn) (text []byte, sends bool)) (deliveries int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.channels[string(channel)] {
		if text, sends := message(c); sends {
			deliver(c, by, "message", channel, text)
			deliveries++
		}
	}
	for x := range b.patterns.All() {
		if !glob.Match([]byte(x.Name), channel) {
			continue
		}
		for _, c := range x.Conns {
			if text, sends := message(c); sends {
				deliver(c, by, "pmessage", []byte(x.Name), channel, text)
				deliveries++
			}
		}
	}
	return deliveries
}

// Receivers implements [commands.Broker].
func (b *Broker) Receivers(channel []byte) (deliveries int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	deliveries = len(b.channels[string(channel)])
	for x := range b.patterns.All() {
		if glob.Match([]byte(x.Name), channel) {
			deliveries += len(x.Conns)
		}
	}
	return deliveries
}

// deliver pushes a message to a connection. by is the publishing connection.
func deliver(c, by *commands.Conn, kind string, parts ...[]byte) {
	w := resp.Writer{Proto: c.Link.Proto()}
	w.Push(1 + len(parts))
	w.BulkString(kind)
	for _, p := range parts {
		w.Bulk(p)
	}
	c.Push(by, w.Bytes())
}

// Channels implements [commands.Broker].
func (b *Broker) Channels() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.channels))
}

// Subscribers implements [commands.Broker].
func (b *Broker) Subscribers(channel []byte) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.channels[string(channel)])
}

// Patterns implements [commands.Broker].
func (b *Broker) Patterns() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.patterns.Len()
}

// Len returns the number of channels with subscribers.
func (b *Broker) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.channels)
}

// Without implements [commands.Broker].
func (b *Broker) Without(allowed func(name string, pattern bool) bool) map[int64]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := map[int64]bool{}
	note := func(name string, pattern bool, conns []*commands.Conn) {
		if allowed(name, pattern) {
			return
		}
		for _, c := range conns {
			found[c.ID] = true
		}
	}
	for name, conns := range b.channels {
		note(name, false, conns)
	}
	for x := range b.patterns.All() {
		note(x.Name, true, x.Conns)
	}
	return found
}
