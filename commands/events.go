package commands

import (
	"strconv"
	"strings"

	"cellserver/store"
)

// Events are classes of keyspace events, and the channels to which the server publishes them:
// notify-keyspace-events.
//
// Source: https://redis.io/docs/latest/develop/pubsub/keyspace-notifications/
type Events uint16

// The classes of events, and the two kinds of channels.
const (
	GenericEvents Events = 1 << iota // DEL, EXPIRE, RENAME and other commands of any type
	StringEvents
	SortedEvents
	HashEvents
	SetEvents
	ListEvents
	ExpiredEvents // a key was removed because it had expired
	EvictedEvents // a key was evicted because of maxmemory
	byKey         // to __keyspace@<db>__:<key>, with the event as the message
	byEvent       // to __keyevent@<db>__:<event>, with the key as the message
)

// eventLetters are the letters of Events, in their order.
const eventLetters = "g$zhslxeKE"

// Eventless returns the letters of notify-keyspace-events that have no events here.
func Eventless(letters string) string {
	return strings.Map(func(letter rune) rune {
		if strings.ContainsRune(eventLetters+"A", letter) {
			return -1
		}
		return letter
	}, letters)
}

// EventsOf parses the letters of notify-keyspace-events. Without K or E there are no channels, so
// there are no events. Letters of other classes have no events here.
func EventsOf(letters string) (all Events) {
	for i, letter := range eventLetters {
		if strings.ContainsRune(letters, letter) || letter != 'K' && letter != 'E' && strings.Contains(letters, "A") {
			all |= 1 << i
		}
	}
	if all&(byKey|byEvent) == 0 {
		return 0
	}
	return all
}

// Notify publishes an event of a key of the selected database, if its class is on. A command calls
// it right after the change.
func (c *Call) Notify(class Events, event string, key []byte) {
	if c.Events&class != 0 {
		c.Events.publish(c.Server.PubSub, c.Conn, c.Tx.DB(), event, key)
	}
}

// NotifyRemoval publishes that a command has removed elements of a key, and the key if it is empty now.
func (c *Call) NotifyRemoval(class Events, event string, e *store.Entry) {
	c.Notify(class, event, e.Key())
	if !e.Exists() {
		c.Notify(GenericEvents, "del", e.Key())
	}
}

// NotifyIn is [Call.Notify] for a key of another database.
func (c *Call) NotifyIn(db int, class Events, event string, key []byte) {
	if c.Events&class != 0 {
		c.Events.publish(c.Server.PubSub, c.Conn, db, event, key)
	}
}

// NotifyRemoved publishes that an expired key was removed, or that a key was evicted. No command
// asked for it.
func (s *Server) NotifyRemoved(on Events, db int, key []byte, evicted bool) {
	class, event := ExpiredEvents, "expired"
	if evicted {
		class, event = EvictedEvents, "evicted"
	}
	if on&class != 0 {
		on.publish(s.PubSub, nil, db, event, key)
	}
}

func (e Events) publish(to Broker, by *Conn, db int, event string, key []byte) {
	var buffer [128]byte
	if e&byKey != 0 {
		channel := append(strconv.AppendInt(append(buffer[:0], "__keyspace@"...), int64(db), 10), "__:"...)
		to.Publish(by, Channel, append(channel, key...), []byte(event))
	}
	if e&byEvent != 0 {
		channel := append(strconv.AppendInt(append(buffer[:0], "__keyevent@"...), int64(db), 10), "__:"...)
		to.Publish(by, Channel, append(channel, event...), key)
	}
}

// NotifyEffects publishes the events of effects. Limiters have it: they write through package
// limiters, and their events are those of the commands that the log holds. Their only collections
// are sorted sets. Equal events in a row are one event.
func (c *Call) NotifyEffects(effects []store.Effect) {
	last, lastKey := "", []byte(nil)
	notify := func(class Events, event string, e *store.Effect) {
		if event != last || string(e.Key) != string(lastKey) {
			c.NotifyIn(e.DB, class, event, e.Key)
		}
		last, lastKey = event, e.Key
	}
	for i := range effects {
		switch e := &effects[i]; {
		case e.Expired, e.DB == store.Own:
		case e.Op == store.OpSet:
			notify(StringEvents, "set", e)
			if e.At != store.NoExpiry {
				notify(GenericEvents, "expire", e)
			}
		case e.Op == store.OpSetRange:
			notify(StringEvents, "setrange", e)
		case e.Op == store.OpDel:
			notify(GenericEvents, "del", e)
		case e.Op == store.OpExpire:
			notify(GenericEvents, "expire", e)
		case e.Op == store.OpPersist:
			notify(GenericEvents, "persist", e)
		case e.Op == store.OpStore, e.Op == store.OpChange && e.Change.Makes:
			notify(SortedEvents, "zadd", e)
		case e.Op == store.OpChange:
			notify(SortedEvents, "zrem", e)
			if last := i+1 == len(effects) || string(effects[i+1].Key) != string(e.Key); last && !c.ExistsIn(e.DB, e.Key) {
				notify(GenericEvents, "del", e)
			}
		}
	}
}
