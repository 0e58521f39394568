package meters

import (
	"slices"
	"sync"

	"cellserver/limiters/adaptive"
)

// MostWatched is the most keys that the configuration may list.
const MostWatched = 32

// The history of a watched key: a point for each minute of the last hour.
const (
	pointLength = 60_000_000_000 // ns
	points      = 60
)

// watched has totals and the last hour of the keys that the configuration lists.
type watched struct {
	mu   sync.Mutex // guards the rest; held to add one window, or to copy all
	keys []Watched
}

// Watched are the totals of a key since it is listed, and its last hour.
type Watched struct {
	DB      int
	Key     string
	Meter   adaptive.Meter
	Base    int64 // ns
	Drops   int64
	Refused int64
	Windows [len(adaptive.Results)]int64 // by their results
	Points  []Point
}

// Point is the last window that ended in a minute, and what all of them refused.
type Point struct {
	At, Limit, Calls, Base, Latency, Refused int64 // Unix ns, and ns
}

// Watch sets the keys that are listed. Those that stay keep their numbers. Keys are of database 0.
func (w *watched) Watch(keys []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	old := w.keys
	w.keys = nil
	for _, key := range keys[:min(len(keys), MostWatched)] {
		if i := slices.IndexFunc(old, func(o Watched) bool { return o.Key == key }); i >= 0 {
			w.keys = append(w.keys, old[i])
		} else {
			w.keys = append(w.keys, Watched{Key: key})
		}
	}
}

// record adds a window that has ended.
func (w *watched) record(db int, key []byte, m *adaptive.Meter, ended *adaptive.Ended) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.keys {
		if one := &w.keys[i]; one.DB == db && one.Key == string(key) {
			one.add(m, ended)
		}
	}
}

// add adds a window that has ended.
func (w *Watched) add(m *adaptive.Meter, ended *adaptive.Ended) {
	w.Meter, w.Base = *m, ended.Base
	w.Drops += ended.Drops
	w.Refused += ended.Refused
	w.Windows[ended.Result]++
	p := Point{ended.At, ended.Limit, ended.Busiest, ended.Base, m.Last, ended.Refused}
	if last := len(w.Points) - 1; last >= 0 && w.Points[last].At/pointLength == p.At/pointLength {
		p.Refused += w.Points[last].Refused
		w.Points[last] = p
		return
	}
	if len(w.Points) == points {
		w.Points = slices.Delete(w.Points, 0, 1)
	}
	w.Points = append(w.Points, p)
}

// WatchedKeys returns a copy of the listed keys.
func (w *watched) WatchedKeys() []Watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := slices.Clone(w.keys)
	for i := range all {
		all[i].Points = slices.Clone(all[i].Points)
	}
	return all
}
