package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"
)

// The course of an expiry storm: a load begins, calm later the first key expires, within a second all of them, and the
// load ends after the aftermath.
const (
	calm      = 2 * time.Second
	aftermath = 35 * time.Second
	window    = 100 * time.Millisecond // of a curve's points
)

// storm is what was seen, with times from the moment when the first key expires.
type storm struct {
	timings            []timing
	resident           lineSeries // megabytes over seconds
	before, during     time.Duration
	worst              time.Duration
	back               float64 // seconds until nine tenths of the keys' memory were back; 0 for never
	empty, full, least int64   // resident bytes
}

// expiry measures what clients notice when all keys expire within a second.
func expiry(ctx context.Context, o options) ([]section, error) {
	t := table{numbers: 7, head: []string{"server", "p99 before", "p99 in the 2 s", "worst", "empty, MB", "full, MB", "least, MB", "s until back"}}
	latency := lines{caption: caption{"performance-expiry.svg", "p99 in windows of 100 ms, ms: " + thousands(float64(o.keys)) + " keys expire"},
		axis: "seconds since the first key expired"}
	rss := lines{caption: caption{"performance-expiry-memory.svg", "Resident memory, MB: " + thousands(float64(o.keys)) + " keys expire"},
		axis: latency.axis}
	for _, k := range peers(o) {
		s, err := expire(ctx, o, k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		back := "> " + strconv.Itoa(int(aftermath.Seconds()))
		if s.back > 0 {
			back = fmt.Sprintf("%.1f", s.back)
		}
		t.add(k.name, inMilliseconds(s.before), inMilliseconds(s.during), inMilliseconds(s.worst),
			megabytes(s.empty), megabytes(s.full), megabytes(s.least), back)
		say("%-10s p99 %v, then %v, at worst %v; memory back after %s s", k.name, s.before, s.during, s.worst, back)
		latency.series = append(latency.series, curve(k.name, s.timings))
		rss.series = append(rss.series, lineSeries{k.name, s.resident.x, s.resident.y})
	}
	return []section{{id: fmt.Sprintf("expiry %d", o.keys), heading: thousands(float64(o.keys)) + " keys that expire within a second",
		table: t, plots: []plot{latency, rss},
		notes: `Latencies in milliseconds of 50 clients that SET one of 100,000 other keys each, without pipelines: the p99 of the two
seconds before the first key expires, of the two seconds from then on, and the worst of the latter. Memory is back once nine tenths
of what the keys took have left the resident memory.`}}, nil
}

// expire fills a server, waits, and watches it under load.
func expire(ctx context.Context, o options, k kind) (found storm, err error) {
	s, err := k.start(ctx, o.core)
	if err != nil {
		return found, err
	}
	defer s.stop()
	begun := time.Now()
	if err := fillValues(ctx, s); err != nil {
		return found, err
	}
	perKey := time.Since(begun) / keyspace
	if found.empty, err = s.settled(ctx); err != nil {
		return found, err
	}
	// With room for keys whose commands are longer, and for a machine that is not always as fast.
	at := time.Now().Add(calm + 5*time.Second + 3*perKey*time.Duration(o.keys))
	_, err = drive(ctx, filler(s.addr, o.keys, func(b []byte, i int) []byte {
		return command(b, "SET", name("gone:", i), "1700000000000000000", "PXAT", strconv.FormatInt(at.UnixMilli()+int64(i%1000), 10))
	}, "+OK\r\n"))
	if err != nil {
		return found, err
	}
	if err := s.holds(keyspace + o.keys); err != nil {
		return found, fmt.Errorf("filled too slowly? %w", err)
	}
	select {
	case <-ctx.Done():
		return found, ctx.Err()
	case <-time.After(time.Until(at.Add(-calm))):
	}
	if found.full, err = s.resident(); err != nil {
		return found, err
	}
	if err := found.watch(ctx, s, at); err != nil {
		return found, err
	}
	return found, s.holds(keyspace)
}

// watch puts the load on and follows the server's memory until the aftermath ends.
func (found *storm) watch(ctx context.Context, s *server, at time.Time) error {
	weighed := make(chan lineSeries)
	done := make(chan struct{})
	go func() { weighed <- weigh(s, at, done) }()
	begun := time.Since(at)
	out, err := drive(ctx, load{addr: s.addr, connections: 50, pipeline: 1, duration: calm + aftermath, script: setting})
	close(done)
	resident := <-weighed
	if err != nil {
		return err
	}
	for i := range out.timings {
		out.timings[i].at += begun
	}
	found.timings, found.resident = out.timings, resident
	found.before = percentile(within(out.timings, -calm, 0), 0.99)
	found.during = percentile(within(out.timings, 0, 2*time.Second), 0.99)
	found.worst = percentile(within(out.timings, 0, 2*time.Second), 1)
	found.least, found.back = recovered(resident, found.empty, found.full)
	return nil
}

// weigh follows the server's resident memory, in megabytes over seconds, until done.
func weigh(s *server, at time.Time, done <-chan struct{}) (l lineSeries) {
	for {
		if bytes, err := s.resident(); err == nil {
			l.x, l.y = append(l.x, time.Since(at).Seconds()), append(l.y, float64(bytes)/1e6)
		}
		select {
		case <-done:
			return l
		case <-time.After(window):
		}
	}
}

// recovered is the least resident memory after the first key expired, in bytes, and the first second from which on nine
// tenths of the growth from empty to full were gone for good; 0 for never.
func recovered(resident lineSeries, empty, full int64) (least int64, back float64) {
	least = full
	bound := float64(empty)/1e6 + float64(full-empty)/1e7
	for i, mb := range resident.y {
		if resident.x[i] < 0 {
			continue
		}
		least = min(least, int64(mb*1e6))
		if mb > bound {
			back = 0
		} else if back == 0 {
			back = resident.x[i]
		}
	}
	return least, back
}

// within are the timings of pipelines that were sent in a span of time.
func within(all []timing, from, to time.Duration) (some []timing) {
	for _, t := range all {
		if from <= t.at && t.at < to {
			some = append(some, t)
		}
	}
	return some
}

// curve is the p99, in milliseconds over seconds, of each window from before the storm to ten seconds after.
func curve(name string, all []timing) lineSeries {
	l := lineSeries{name: name}
	windows := map[time.Duration][]timing{}
	for _, t := range all {
		i := (t.at + calm) / window
		windows[i] = append(windows[i], t)
	}
	for i := time.Duration(0); i < (calm+10*time.Second)/window; i++ {
		if in := windows[i]; len(in) > 0 {
			l.x = append(l.x, (i*window - calm).Seconds())
			l.y = append(l.y, percentile(in, 0.99).Seconds()*1e3)
		}
	}
	return l
}

// secondsBack is how long it took until the memory was back; NaN for never.
func (found *storm) secondsBack() float64 {
	if found.back == 0 {
		return math.NaN()
	}
	return found.back
}

func inMs(d time.Duration) float64 { return d.Seconds() * 1e3 }

func inMilliseconds(d time.Duration) string { return milliseconds(inMs(d)) }
