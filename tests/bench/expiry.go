package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// The phases of an expiry storm: a load begins, and after calm the first key expires. All keys expire within a second.
// The load ends after the aftermath.
const (
	calm      = 2 * time.Second
	aftermath = 35 * time.Second
	window    = 100 * time.Millisecond // of a point of a curve
)

// storm is the result of an expiry storm. Times count from the moment when the first key expires.
type storm struct {
	timings            []load.Timing
	resident           report.LineSeries // megabytes over seconds
	before, during     time.Duration
	worst              time.Duration
	back               float64 // seconds until nine tenths of the keys' memory were back; 0 for never
	empty, full, least int64   // resident bytes
}

// expiry measures the latency of clients while all keys expire within a second.
func expiry(ctx context.Context, o contest.Options) ([]report.Section, error) {
	t := report.Table{Numbers: 7, Head: []string{"server", "p99 before", "p99 in the 2 s", "worst", "empty, MB", "full, MB", "least, MB", "s until back"}}
	latency := report.Lines{Caption: report.Caption{Name: "performance-expiry.svg", Text: "p99 in windows of 100 ms, ms: " + report.Thousands(float64(o.Keys)) + " keys expire"},
		Axis: "seconds since the first key expired"}
	rss := report.Lines{Caption: report.Caption{Name: "performance-expiry-memory.svg", Text: "Resident memory, MB: " + report.Thousands(float64(o.Keys)) + " keys expire"},
		Axis: latency.Axis}
	for _, k := range contest.Peers(o) {
		s, err := expire(ctx, o, k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
		back := "> " + strconv.Itoa(int(aftermath.Seconds()))
		if s.back > 0 {
			back = fmt.Sprintf("%.1f", s.back)
		}
		t.Add(k.Name, report.InMilliseconds(s.before), report.InMilliseconds(s.during), report.InMilliseconds(s.worst),
			report.Megabytes(s.empty), report.Megabytes(s.full), report.Megabytes(s.least), back)
		report.Say("%-10s p99 %v, then %v, at worst %v; memory back after %s s", k.Name, s.before, s.during, s.worst, back)
		latency.Series = append(latency.Series, curve(k.Name, s.timings))
		rss.Series = append(rss.Series, report.LineSeries{Name: k.Name, X: s.resident.X, Y: s.resident.Y})
	}
	return []report.Section{{ID: fmt.Sprintf("expiry %d", o.Keys), Heading: report.Thousands(float64(o.Keys)) + " keys that expire within a second",
		Table: t, Plots: []report.Plot{latency, rss},
		Notes: `Latencies in milliseconds of 50 clients without pipelines, each of which sets random ones of 100,000 other keys. The first p99
is of the two seconds before the first key expires. The second p99 and the worst latency are of the two seconds after it. Memory is
back if nine tenths of the keys' memory have left the resident memory.`}}, nil
}

// expire fills a server, waits, and watches it under load.
func expire(ctx context.Context, o contest.Options, k server.Kind) (found storm, err error) {
	s, err := k.Start(ctx, o.Core)
	if err != nil {
		return found, err
	}
	defer s.Stop()
	begun := time.Now()
	if err := contest.FillValues(ctx, s); err != nil {
		return found, err
	}
	perKey := time.Since(begun) / contest.Keyspace
	if found.empty, err = s.Settled(ctx); err != nil {
		return found, err
	}
	// Commands with longer keys, and a slower machine, have time too.
	at := time.Now().Add(calm + 5*time.Second + 3*perKey*time.Duration(o.Keys))
	_, err = load.Drive(ctx, load.Filler(s.Addr, o.Keys, func(b []byte, i int) []byte {
		return load.Command(b, "SET", load.Key("gone:", i), "1700000000000000000", "PXAT", strconv.FormatInt(at.UnixMilli()+int64(i%1000), 10))
	}, "+OK\r\n"))
	if err != nil {
		return found, err
	}
	if err := s.Holds(contest.Keyspace + o.Keys); err != nil {
		return found, fmt.Errorf("filled too slowly? %w", err)
	}
	select {
	case <-ctx.Done():
		return found, ctx.Err()
	case <-time.After(time.Until(at.Add(-calm))):
	}
	if found.full, err = s.Resident(); err != nil {
		return found, err
	}
	if err := found.watch(ctx, s, at); err != nil {
		return found, err
	}
	return found, s.Holds(contest.Keyspace)
}

// heldOverAlive writes new keys for some seconds, again and again. Each key expires after a second. After each part it compares the
// keys that the server holds with those written in a second.
func heldOverAlive(ctx context.Context, o contest.Options, k server.Kind) (rounds []float64, err error) {
	const parts, length = 5, 4 * time.Second
	s, err := k.Start(ctx, o.Core)
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	for part := range parts {
		out, err := load.Drive(ctx, load.Load{Addr: s.Addr, Connections: 50, Pipeline: 64, Duration: length, Script: func(connection int) load.Script {
			prefix := fmt.Sprintf("new:%d:%d:", part, connection)
			return func(request, reply []byte, i int) ([]byte, []byte) {
				request = load.Command(request, "CL.THROTTLE", prefix+strconv.Itoa(i), "0", "1", "1")
				return request, append(reply, "*5\r\n:0\r\n:1\r\n:0\r\n:-1\r\n:1\r\n"...)
			}
		}})
		if err != nil {
			return nil, err
		}
		held, err := s.Do("DBSIZE")
		if err != nil {
			return nil, err
		}
		alive := float64(out.Requests) / out.Elapsed.Seconds()
		rounds = append(rounds, float64(held.(int64))/alive)
	}
	return rounds, nil
}

// watch starts the load and samples the server's memory until the aftermath ends.
func (found *storm) watch(ctx context.Context, s *server.Server, at time.Time) error {
	weighed := make(chan report.LineSeries)
	done := make(chan struct{})
	go func() { weighed <- weigh(s, at, done) }()
	begun := time.Since(at)
	out, err := load.Drive(ctx, load.Load{Addr: s.Addr, Connections: 50, Pipeline: 1, Duration: calm + aftermath, Script: contest.Setting})
	close(done)
	resident := <-weighed
	if err != nil {
		return err
	}
	for i := range out.Timings {
		out.Timings[i].At += begun
	}
	found.timings, found.resident = out.Timings, resident
	found.before = load.Percentile(load.Within(out.Timings, -calm, 0), 0.99)
	found.during = load.Percentile(load.Within(out.Timings, 0, 2*time.Second), 0.99)
	found.worst = load.Percentile(load.Within(out.Timings, 0, 2*time.Second), 1)
	found.least, found.back = recovered(resident, found.empty, found.full)
	return nil
}

// weigh samples the server's resident memory, in megabytes over seconds, until done is closed.
func weigh(s *server.Server, at time.Time, done <-chan struct{}) (l report.LineSeries) {
	for {
		if bytes, err := s.Resident(); err == nil {
			l.X, l.Y = append(l.X, time.Since(at).Seconds()), append(l.Y, float64(bytes)/1e6)
		}
		select {
		case <-done:
			return l
		case <-time.After(window):
		}
	}
}

// recovered returns the least resident memory after the first key expired, in bytes. back is the first second after
// which nine tenths of the growth from empty to full stay away; 0 for never.
func recovered(resident report.LineSeries, empty, full int64) (least int64, back float64) {
	least = full
	bound := float64(empty)/1e6 + float64(full-empty)/1e7
	for i, mb := range resident.Y {
		if resident.X[i] < 0 {
			continue
		}
		least = min(least, int64(mb*1e6))
		if mb > bound {
			back = 0
		} else if back == 0 {
			back = resident.X[i]
		}
	}
	return least, back
}

// curve returns the p99 of each window in milliseconds over seconds, from the start of calm until ten seconds after it.
func curve(name string, all []load.Timing) report.LineSeries {
	l := report.LineSeries{Name: name}
	windows := map[time.Duration][]load.Timing{}
	for _, t := range all {
		i := (t.At + calm) / window
		windows[i] = append(windows[i], t)
	}
	for i := time.Duration(0); i < (calm+10*time.Second)/window; i++ {
		if in := windows[i]; len(in) > 0 {
			l.X = append(l.X, (i*window - calm).Seconds())
			l.Y = append(l.Y, load.Percentile(in, 0.99).Seconds()*1e3)
		}
	}
	return l
}

// secondsBack returns the seconds until the memory was back; NaN for never.
func (found *storm) secondsBack() float64 {
	if found.back == 0 {
		return math.NaN()
	}
	return found.back
}
