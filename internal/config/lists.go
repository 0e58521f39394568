package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kinds of several arguments, and those of one directive only.

const maxBindAddresses = 16

var addresses = kind[[]string]{
	values: "up to 16 addresses", many: true,
	parse: func(args []string) ([]string, error) {
		switch {
		case len(args) > maxBindAddresses:
			return nil, errors.New("Too many bind addresses specified.")
		case len(args) == 1 && args[0] == "":
			return nil, nil
		}
		return slices.Clone(args), nil
	},
	format: func(list []string) string { return strings.Join(list, " ") },
}

var savePoints = kind[[]SavePoint]{
	values: `pairs of seconds and changes, or ""`, many: true,
	parse: func(args []string) ([]SavePoint, error) {
		if len(args) == 1 && args[0] == "" {
			return nil, nil
		}
		invalid := errors.New("Invalid save parameters")
		if len(args)%2 != 0 {
			return nil, invalid
		}
		var points []SavePoint
		for pair := range slices.Chunk(args, 2) {
			seconds, ok1 := cInteger(pair[0])
			changes, ok2 := cInteger(pair[1])
			if !ok1 || !ok2 || seconds < 1 || changes < 0 {
				return nil, invalid
			}
			points = append(points, SavePoint{seconds, changes})
		}
		return points, nil
	},
	format: func(points []SavePoint) string {
		return join(points, func(p SavePoint) string { return fmt.Sprintf("%d %d", p.Seconds, p.Changes) })
	},
}

var percentiles = kind[[]float64]{
	values: "percentiles from 0 to 100", many: true,
	parse: func(args []string) ([]float64, error) {
		if len(args) == 1 && args[0] == "" {
			return nil, nil
		}
		list := make([]float64, len(args))
		for i, arg := range args {
			p, err := strconv.ParseFloat(arg, 64)
			if err != nil || math.IsNaN(p) || strings.Contains(arg, "_") {
				return nil, errors.New("Invalid latency-tracking-info-percentiles parameters")
			}
			if p < 0 || p > 100 {
				return nil, errors.New("latency-tracking-info-percentiles parameters should sit between [0.0,100.0]")
			}
			list[i] = p
		}
		return list, nil
	},
	format: func(list []float64) string {
		return join(list, func(p float64) string {
			return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(p, 'f', 6, 64), "0"), ".")
		})
	},
}

// of finds the limit of a client class by its name in redis.conf.
func (o *OutputLimits) of(class string) *OutputLimit {
	switch strings.ToLower(class) {
	case "normal":
		return &o.Normal
	case "replica", "slave":
		return &o.Replica
	case "pubsub":
		return &o.PubSub
	}
	return nil
}

// String is the CONFIG GET form; Redis still says slave there.
func (o OutputLimits) String() string {
	one := func(class string, l OutputLimit) string {
		return fmt.Sprintf("%s %d %d %d", class, l.Hard, l.Soft, l.Seconds)
	}
	return one("normal", o.Normal) + " " + one("slave", o.Replica) + " " + one("pubsub", o.PubSub)
}

// with returns the limits changed by groups of class, hard, soft and seconds; classes
// that are not named keep theirs.
func (o OutputLimits) with(args []string) (OutputLimits, error) {
	if len(args)%4 != 0 {
		return o, errors.New("Wrong number of arguments in buffer limit configuration.")
	}
	for a := range slices.Chunk(args, 4) {
		limit := o.of(a[0])
		if limit == nil {
			return o, errors.New("Invalid client class specified in buffer limit configuration.")
		}
		hard, ok1 := parseMemory(a[1])
		soft, ok2 := parseMemory(a[2])
		seconds, ok3 := cInteger(a[3])
		if !ok1 || !ok2 || !ok3 || seconds < 0 || seconds > math.MaxInt32 {
			return o, errors.New("Error in hard, soft or soft_seconds setting in buffer limit configuration.")
		}
		*limit = OutputLimit{hard, soft, int(seconds)}
	}
	return o, nil
}

var outputLimits = func() Directive {
	return Directive{
		Name: "client-output-buffer-limit", Values: "class, hard and soft memory, seconds; repeatable",
		Default: "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60",
		Summary: "Replies that may wait for a client of class normal, replica or pubsub before it is disconnected.",
		Mutable: true, Many: true, field: true,
		get: func(c *Config) string { return c.ClientOutputBufferLimit.String() },
		set: func(c *Config, args []string) error {
			limits, err := c.ClientOutputBufferLimit.with(args)
			if err == nil {
				c.ClientOutputBufferLimit = limits
			}
			return err
		},
	}
}()

// fileName takes a name without a path. what is the directive, thing the word Redis uses.
func fileName(what, thing string, mayBeEmpty bool) kind[string] {
	return checked("file name", func(s string) string {
		switch {
		case s == "" && !mayBeEmpty:
			return what + " can't be empty"
		case strings.ContainsAny(s, `/\`):
			return what + " can't be a path, just a " + thing
		}
		return ""
	})
}

var hz = then(number(0, math.MaxInt32), func(n int) int { return min(max(n, 1), 500) })

// flags takes any of the words and shows them in the order of the table; the first
// means none of the others.
func flags(words []string, fault func(set []string) string) kind[[]string] {
	single := enum(words...)
	return kind[[]string]{
		values: single.values, many: true,
		parse: func(args []string) ([]string, error) {
			if len(args) == 0 {
				args = []string{""}
			}
			for _, arg := range args {
				if _, err := single.parse([]string{arg}); err != nil {
					return nil, err
				}
			}
			set := slices.DeleteFunc(slices.Clone(words[1:]), func(w string) bool {
				return !slices.ContainsFunc(args, func(a string) bool { return strings.EqualFold(a, w) })
			})
			if why := fault(set); why != "" {
				return nil, errors.New(why)
			}
			return set, nil
		},
		format: func(set []string) string {
			if len(set) == 0 {
				return words[0]
			}
			return strings.Join(set, " ")
		},
	}
}

var signalFlags = flags([]string{"default", "save", "nosave", "now", "force"}, func(set []string) string {
	if slices.Contains(set, "save") && slices.Contains(set, "nosave") {
		return "shutdown options SAVE and NOSAVE can't be used simultaneously"
	}
	return ""
})
