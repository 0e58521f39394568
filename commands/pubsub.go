package commands

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"cellserver/resp"
)

// subscriptions are what one client listens to. Its own goroutine alone uses the names.
type subscriptions struct {
	channels, patterns map[string]struct{}
	total              atomic.Int64 // of both; any goroutine may ask
	bytes              int          // memory they take, about
}

// subscribedBytes is about what listening costs beyond the bytes of the name.
const subscribedBytes = 128

// pubsub brings what is published to those who subscribed. Every subscriber sees the
// messages in the same order.
type pubsub struct {
	mu       sync.Mutex // guards the rest; may be taken while partitions are locked
	channels map[string][]*Client
	patterns listeners
}

func (p *pubsub) addChannel(c *Client, channel string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.channels[channel] = append(p.channels[channel], c)
}

func (p *pubsub) removeChannel(c *Client, channel string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := without(p.channels[channel], c)
	if p.channels[channel] = rest; len(rest) == 0 {
		delete(p.channels, channel)
	}
}

func (p *pubsub) addPattern(c *Client, pattern string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.patterns.add(c, pattern)
}

func (p *pubsub) removePattern(c *Client, pattern string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.patterns.remove(c, pattern)
}

// publish sends a message and returns how many times it was sent.
func (p *pubsub) publish(by *Client, channel, message []byte) (receivers int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.channels[string(channel)] {
		c.message(by, "message", channel, message)
		receivers++
	}
	for _, x := range p.patterns {
		if !glob([]byte(x.name), channel) {
			continue
		}
		for _, c := range x.clients {
			c.message(by, "pmessage", []byte(x.name), channel, message)
			receivers++
		}
	}
	return receivers
}

// message pushes one to the client.
func (c *Client) message(by *Client, kind string, parts ...[]byte) {
	w := resp.Writer{Proto: int(c.proto.Load())}
	w.Push(1 + len(parts))
	w.BulkString(kind)
	for _, p := range parts {
		w.Bulk(p)
	}
	c.push(by, w.Bytes())
}

// subscribed reports whether the client listens to anything. Any goroutine may ask.
func (c *Client) subscribed() bool { return c.subs.total.Load() > 0 }

// unsubscribeAll ends all listening, without a word: RESET and the end of a connection.
func (c *Client) unsubscribeAll() {
	for _, channel := range slices.Sorted(maps.Keys(c.subs.channels)) {
		c.server.pubsub.removeChannel(c, channel)
	}
	for _, pattern := range slices.Sorted(maps.Keys(c.subs.patterns)) {
		c.server.pubsub.removePattern(c, pattern)
	}
	c.subs.channels, c.subs.patterns, c.subs.bytes = nil, nil, 0
	c.subs.total.Store(0)
}
