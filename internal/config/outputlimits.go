package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"cellserver/internal/config/value"
)

// of returns the limit of a client class by its name in redis.conf, or nil.
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

// String returns the form of CONFIG GET. Redis writes slave there, not replica.
func (o OutputLimits) String() string {
	one := func(class string, l OutputLimit) string {
		return fmt.Sprintf("%s %d %d %d", class, l.Hard, l.Soft, l.Seconds)
	}
	return one("normal", o.Normal) + " " + one("slave", o.Replica) + " " + one("pubsub", o.PubSub)
}

// with returns the limits changed by args: groups of class, hard, soft and seconds. The other classes keep
// their limits.
func (o OutputLimits) with(args []string) (OutputLimits, error) {
	if len(args)%4 != 0 {
		return o, errors.New("Wrong number of arguments in buffer limit configuration.")
	}
	for a := range slices.Chunk(args, 4) {
		limit := o.of(a[0])
		if limit == nil {
			return o, errors.New("Invalid client class specified in buffer limit configuration.")
		}
		hard, ok1 := value.ParseMemory(a[1])
		soft, ok2 := value.ParseMemory(a[2])
		seconds, ok3 := value.ParseLoose(a[3])
		if !ok1 || !ok2 || !ok3 || seconds < 0 || seconds > math.MaxInt32 {
			return o, errors.New("Error in hard, soft or soft_seconds setting in buffer limit configuration.")
		}
		*limit = OutputLimit{hard, soft, int(seconds)}
	}
	return o, nil
}

// savePoints is the kind of the directive save.
var savePoints = value.Several(`pairs of seconds and changes, or ""`, parseSavePoints,
	func(p SavePoint) string { return fmt.Sprintf("%d %d", p.Seconds, p.Changes) })

func parseSavePoints(args []string) (points []SavePoint, err error) {
	invalid := errors.New("Invalid save parameters")
	if len(args)%2 != 0 {
		return nil, invalid
	}
	for pair := range slices.Chunk(args, 2) {
		seconds, ok1 := value.ParseLoose(pair[0])
		changes, ok2 := value.ParseLoose(pair[1])
		if !ok1 || !ok2 || seconds < 1 || changes < 0 {
			return nil, invalid
		}
		points = append(points, SavePoint{seconds, changes})
	}
	return points, nil
}
