package main

import (
	"context"
	"fmt"
)

// memory measures what a throttle key takes of each server.
func memory(ctx context.Context, o options) ([]section, error) {
	t := table{numbers: 4, head: []string{"server", "key", "keys", "empty, MB", "full, MB", "bytes a key"}}
	p := bars{caption: caption{"performance-memory.svg", "Resident bytes per throttle key"}, groups: []string{thousands(float64(o.keys)) + " keys"}}
	for _, k := range kinds(o) {
		before, after, err := fillAndWeigh(ctx, o, k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		each := float64(after-before) / float64(o.keys)
		t.add(k.name, throttleKey(k).what, thousands(float64(o.keys)), megabytes(before), megabytes(after), fmt.Sprintf("%.1f", each))
		p.series = append(p.series, barSeries{k.name, []float64{each}})
		say("%-10s %.1f bytes a key", k.name, each)
	}
	return []section{{
		id: fmt.Sprintf("memory %d", o.keys), heading: "Memory per throttle key, " + thousands(float64(o.keys)) + " keys", table: t, plots: []plot{p},
		notes: "Resident memory once it has settled, the empty server's taken off. Keys have 16 bytes. Redis without redis-cell\nholds what redis-cell would: a string of 19 digits that expires.",
	}}, nil
}

// keyMaker says how a server is made to hold a throttle key.
type keyMaker struct {
	what    string
	request func(b []byte, i int) []byte
	reply   string
}

func throttleKey(k kind) keyMaker {
	if !k.throttles {
		return keyMaker{"SET … PX", func(b []byte, i int) []byte {
			return command(b, "SET", name("key:", i), "1700000000000000000", "PX", "86400000")
		}, "+OK\r\n"}
	}
	return keyMaker{"CL.THROTTLE", func(b []byte, i int) []byte {
		return command(b, "CL.THROTTLE", name("key:", i), "15", "1", "86400")
	}, decision(0, 16, 15, -1, 86400)}
}

// fillAndWeigh is a server's resident memory without and with the keys, in bytes.
func fillAndWeigh(ctx context.Context, o options, k kind) (before, after int64, err error) {
	s, err := k.start(ctx, o.core)
	if err != nil {
		return 0, 0, err
	}
	defer s.stop()
	if before, err = s.settled(ctx); err != nil {
		return 0, 0, err
	}
	key := throttleKey(k)
	if _, err := drive(ctx, filler(s.addr, o.keys, key.request, key.reply)); err != nil {
		return 0, 0, err
	}
	if err := s.holds(o.keys); err != nil {
		return 0, 0, err
	}
	after, err = s.settled(ctx)
	return before, after, err
}

// holds says whether a server holds so many keys.
func (s *server) holds(keys int) error {
	n, err := s.do("DBSIZE")
	if err == nil && n != int64(keys) {
		err = fmt.Errorf("%v keys instead of %d", n, keys)
	}
	return err
}

// idle measures what a connection takes of each server that has said one word and is silent since.
func idle(ctx context.Context, o options) ([]section, error) {
	o, err := withinOpenFiles(o)
	if err != nil {
		return nil, err
	}
	t := table{numbers: 4, head: []string{"server", "connections", "without, MB", "with, MB", "bytes a connection"}}
	for _, k := range peers(o) {
		before, after, err := connectAndWeigh(ctx, o, k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		each := float64(after-before) / float64(o.clients)
		t.add(k.name, thousands(float64(o.clients)), megabytes(before), megabytes(after), thousands(each))
		say("%-10s %.0f bytes a connection", k.name, each)
	}
	return []section{{id: "idle", heading: "Memory per idle connection", table: t,
		notes: "Resident memory once it has settled, the server's without connections taken off. Every connection has sent one PING."}}, nil
}

// withinOpenFiles has no more clients than this program may open files.
func withinOpenFiles(o options) (options, error) {
	limit, err := openFiles()
	if err != nil {
		return o, err
	}
	if room := limit - 1100; o.clients > room {
		say("the limit of open files (ulimit -n %d) allows %d connections, not %d", limit, room, o.clients)
		o.clients = room
	}
	if o.clients < 1 {
		return o, fmt.Errorf("the limit of open files is %d: raise it (ulimit -n)", limit)
	}
	return o, nil
}

// connectAndWeigh is a server's resident memory without and with the connections, in bytes.
func connectAndWeigh(ctx context.Context, o options, k kind) (before, after int64, err error) {
	s, err := k.start(ctx, o.core)
	if err != nil {
		return 0, 0, err
	}
	defer s.stop()
	if before, err = s.settled(ctx); err != nil {
		return 0, 0, err
	}
	for range o.clients {
		c, err := dial(s.addr)
		if err != nil {
			return 0, 0, err
		}
		defer c.close()
		if _, err := c.do("PING"); err != nil {
			return 0, 0, err
		}
	}
	after, err = s.settled(ctx)
	return before, after, err
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/1e6) }
