package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// grown is a server that was filled, and what that was like.
type grown struct {
	*server
	keys         int
	empty, full  int64 // resident bytes
	usual, worst time.Duration
}

// grow starts a server and fills it with throttle keys, or what is as long for one that has none.
func grow(ctx context.Context, o options, k kind, keys int) (g *grown, err error) {
	s, err := k.start(ctx, o.core)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	g = &grown{server: s, keys: keys}
	if g.empty, err = s.settled(ctx); err != nil {
		return nil, err
	}
	out, err := drive(ctx, manyKeys(k, s.addr, "key:", keys))
	if err != nil {
		return nil, err
	}
	if err := s.holds(keys); err != nil {
		return nil, err
	}
	g.usual, g.worst = percentile(out.timings, 0.5), percentile(out.timings, 1)
	g.full, err = s.settled(ctx)
	return g, err
}

// manyKeys fills a server with keys that live an hour.
func manyKeys(k kind, addr, prefix string, keys int) load {
	if !k.throttles {
		return filler(addr, keys, func(b []byte, i int) []byte {
			return command(b, "SET", name(prefix, i), "1700000000000000000", "PX", "3600000")
		}, "+OK\r\n")
	}
	return filler(addr, keys, func(b []byte, i int) []byte {
		return command(b, "CL.THROTTLE", name(prefix, i), "1000000", "1", "60", "60")
	}, decision(0, 1_000_001, 1_000_001-60, -1, 3600))
}

// manyKeysLoad is what is measured on a server with so many keys: they are used as throttle keys are, by commands that
// are allowed and write.
func manyKeysLoad(k kind, keys int) workload {
	if !k.throttles {
		return workload{name: yardstick, command: strings.Fields("INCR key:" + random), keys: keys, answered: integer}
	}
	return workload{name: "CL.THROTTLE", command: strings.Fields("CL.THROTTLE key:" + random + " 1000000 1 60"), keys: keys, throttle: true, answered: decides(allowed)}
}

// scaled are a server with few keys and one with many, both measured.
type scaled struct {
	few, many       *grown
	fewRow, manyRow row
}

// scaleOf measures a server with few keys and the same with many in turn; the one that is not measured is idle.
func scaleOf(ctx context.Context, o options, k kind) (found scaled, err error) {
	if found.few, err = grow(ctx, o, k, min(keyspace, o.keys)); err != nil {
		return found, err
	}
	defer found.few.stop()
	if found.many, err = grow(ctx, o, k, o.keys); err != nil {
		return found, err
	}
	defer found.many.stop()
	at := point{1, 50}
	var takes []func() (sample, error)
	for _, g := range []*grown{found.few, found.many} {
		takes = append(takes, func() (sample, error) { return measureOn(ctx, o, g.server, manyKeysLoad(k, g.keys), at) })
	}
	samples, err := alternate(o.repeats, takes)
	if err != nil {
		return found, err
	}
	found.fewRow = newRow(side{k, manyKeysLoad(k, found.few.keys), at}, samples[0])
	found.manyRow = newRow(side{k, manyKeysLoad(k, found.many.keys), at}, samples[1])
	return found, nil
}

// scale measures what many keys cost that few do not.
func scale(ctx context.Context, o options) ([]section, error) {
	t := table{numbers: 10, head: []string{"server", "command", "keys", "bytes a key", "slowest insert, ms", "per second", "CPU µs", "p50", "p99", "p99.9",
		"p99.9, ×", "others"}}
	p := bars{caption: caption{"performance-scale.svg", "p99.9 in ms, 50 connections without pipelines"}}
	for _, k := range peers(o) {
		found, err := scaleOf(ctx, o, k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		p.groups = append(p.groups, k.name)
		for i, r := range []row{found.fewRow, found.manyRow} {
			g := []*grown{found.few, found.many}[i]
			keys := thousands(float64(g.keys))
			t.add(k.name, r.workload, keys, fmt.Sprintf("%.1f", g.bytesPerKey()), inMilliseconds(g.worst-g.usual), thousands(r.rate),
				fmt.Sprintf("%.2f", r.cpu), milliseconds(r.p50), milliseconds(r.p99), milliseconds(r.p999),
				fmt.Sprintf("%.2f", median(ratios(r, found.fewRow, byP999))), percent(r.others))
			if len(p.series) <= i {
				p.series = append(p.series, barSeries{name: keys + " keys"})
			}
			p.series[i].values = append(p.series[i].values, r.p999)
		}
	}
	return []section{{id: fmt.Sprintf("scale %d", o.keys), heading: "Many keys", table: t, plots: []plot{p},
		notes: `Keys of 16 bytes that live an hour, and commands that write to random ones of them. A server with few and one with many run at
once and are measured in turn; × is the median of the ratios, round by round. The slowest insert is what the slowest of the
pipelines of 500 that filled the server took more than the median one, as their client saw it. ` + "`go test -bench LongestInsert\n./store`" + ` measures the inserts themselves.`}}, nil
}

func (g *grown) bytesPerKey() float64 { return float64(g.full-g.empty) / float64(g.keys) }
