package slowlog

import (
	"maps"
	"slices"

	"cellserver/commands"
)

// maxSpikes is the largest number of spikes that an event keeps, as in Redis.
const maxSpikes = 160

// spike adds a spike to an event. Of several spikes in one second it keeps the longest.
func (l *Log) spike(name string, seconds, millis int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.events[name]
	if e == nil {
		if l.events == nil {
			l.events = map[string]*commands.LatencyEvent{}
		}
		e = &commands.LatencyEvent{Name: name}
		l.events[name] = e
	}
	e.Worst = max(e.Worst, millis)
	if n := len(e.Spikes); n > 0 && e.Spikes[n-1].Seconds == seconds {
		e.Spikes[n-1].Millis = max(e.Spikes[n-1].Millis, millis)
		return
	}
	e.Spikes = append(e.Spikes, commands.Spike{Seconds: seconds, Millis: millis})
	if len(e.Spikes) > maxSpikes {
		e.Spikes = slices.Delete(e.Spikes, 0, 1)
	}
}

// Event implements [commands.LatencyEvents].
func (l *Log) Event(name string) commands.LatencyEvent {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.events[name]; e != nil {
		return clone(e)
	}
	return commands.LatencyEvent{}
}

// All implements [commands.LatencyEvents].
func (l *Log) All() []commands.LatencyEvent {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []commands.LatencyEvent
	for _, name := range slices.Sorted(maps.Keys(l.events)) {
		all = append(all, clone(l.events[name]))
	}
	return all
}

func clone(e *commands.LatencyEvent) commands.LatencyEvent {
	return commands.LatencyEvent{Name: e.Name, Worst: e.Worst, Spikes: slices.Clone(e.Spikes)}
}

// Forget implements [commands.LatencyEvents].
func (l *Log) Forget(name []byte) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := len(l.events)
	if name == nil {
		clear(l.events)
	}
	delete(l.events, string(name))
	return before - len(l.events)
}
