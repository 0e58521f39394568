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
	mu       sync.Mutex                                    // guards the rest
	channels [commands.Pattern]map[string][]*commands.Conn // of the kinds Channel and Shard
	patterns listeners.List
}

// New returns a broker without subscribers.
func New() *Broker {
	return &Broker{channels: [...]map[string][]*commands.Conn{{}, {}}}
}

// Subscribe implements [commands.Broker].
func (b *Broker) Subscribe(c *commands.Conn, kind commands.Subject, name string) bool {
	if !c.Subs.Add(kind, name) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if kind == commands.Pattern {
		b.patterns.Add(c, name)
	} else {
		b.channels[kind][name] = append(b.channels[kind][name], c)
	}
	return true
}

// Unsubscribe implements [commands.Broker].
func (b *Broker) Unsubscribe(c *commands.Conn, kind commands.Subject, name string) bool {
	if !c.Subs.Remove(kind, name) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if kind == commands.Pattern {
		b.patterns.Remove(c, name)
	} else if rest := listeners.Without(b.channels[kind][name], c); len(rest) > 0 {
		b.channels[kind][name] = rest
	} else {
		delete(b.channels[kind], name)
	}
	return true
}

// Leave implements [commands.Broker].
func (b *Broker) Leave(c *commands.Conn) {
	for kind := commands.Channel; kind <= commands.Pattern; kind++ {
		for name := range c.Subs.Names(kind) {
			b.Unsubscribe(c, kind, name)
		}
	}
}

// Publish implements [commands.Broker].
func (b *Broker) Publish(by *commands.Conn, kind commands.Subject, channel, message []byte) (deliveries int) {
	return b.send(by, kind, channel, func(*commands.Conn) ([]byte, bool) { return message, true })
}

// Tell calls message for each subscriber of a channel, and sends the result to that subscriber; nil sends
// nothing. message must not use the broker.
func (b *Broker) Tell(channel []byte, message func(to *commands.Conn) []byte) {
	b.send(nil, commands.Channel, channel, func(to *commands.Conn) ([]byte, bool) {
		text := message(to)
		return text, text != nil
	})
}

// words are the first words of messages.
var words = [...]string{commands.Channel: "message", commands.Shard: "smessage", commands.Pattern: "pmessage"}

// send calls message for each subscriber of a channel, and sends the result if message says so.
func (b *Broker) send(
	by *commands.Conn, kind commands.Subject, channel []byte,
	message func(to *commands.Conn) (text []byte, sends bool),
) (deliveries int) {
	matching := b.matching(kind, channel)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.channels[kind][string(channel)] {
		if text, sends := message(c); sends {
			deliver(c, by, words[kind], channel, text)
			deliveries++
		}
	}
	for _, x := range matching {
		for _, c := range x.Conns {
			if text, sends := message(c); sends {
				deliver(c, by, words[commands.Pattern], []byte(x.Name), channel, text)
				deliveries++
			}
		}
	}
	return deliveries
}

// Receivers implements [commands.Broker].
func (b *Broker) Receivers(kind commands.Subject, channel []byte) (deliveries int) {
	matching := b.matching(kind, channel)
	b.mu.Lock()
	defer b.mu.Unlock()
	deliveries = len(b.channels[kind][string(channel)])
	for _, x := range matching {
		deliveries += len(x.Conns)
	}
	return deliveries
}

// matching returns the patterns that match a channel, in order. It compares without the lock, because many or
// long patterns take long.
func (b *Broker) matching(kind commands.Subject, channel []byte) []*listeners.Name {
	if kind == commands.Shard {
		return nil // no pattern matches its channels
	}
	b.mu.Lock()
	all := slices.AppendSeq(make([]*listeners.Name, 0, b.patterns.Len()), b.patterns.All())
	b.mu.Unlock()
	var pattern []byte // reused
	return slices.DeleteFunc(all, func(x *listeners.Name) bool {
		pattern = append(pattern[:0], x.Name...)
		return !glob.Match(pattern, channel)
	})
}

// Steps implements [commands.Broker].
func (b *Broker) Steps(kind commands.Subject, channel, message []byte) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	receivers, names := len(b.channels[kind][string(channel)]), 0
	if kind == commands.Channel {
		receivers, names = receivers+b.patterns.Len(), b.patterns.Bytes()
	}
	return receivers*(1+commands.StepsOfBytes(len(message))) + commands.StepsOfBytes(names*len(channel))
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
func (b *Broker) Channels(kind commands.Subject) []string {
	b.mu.Lock()
	all := slices.Collect(maps.Keys(b.channels[kind]))
	b.mu.Unlock()
	slices.Sort(all)
	return all
}

// Subscribers implements [commands.Broker].
func (b *Broker) Subscribers(kind commands.Subject, channel []byte) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.channels[kind][string(channel)])
}

// Patterns implements [commands.Broker].
func (b *Broker) Patterns() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.patterns.Len()
}

// Len returns the number of channels with subscribers.
func (b *Broker) Len(kind commands.Subject) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.channels[kind])
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
	for _, channels := range b.channels {
		for name, conns := range channels {
			note(name, false, conns)
		}
	}
	for x := range b.patterns.All() {
		note(x.Name, true, x.Conns)
	}
	return found
}
