package config

import (
	"errors"
	"fmt"
	"slices"

	"cellserver/internal/config/value"
)

// savePoints is the kind of the directive save.
var savePoints = value.Kind[[]SavePoint]{
	Values: `pairs of seconds and changes, or ""`, Many: true,
	Parse: func(args []string) ([]SavePoint, error) {
		if len(args) == 1 && args[0] == "" {
			return nil, nil
		}
		invalid := errors.New("Invalid save parameters")
		if len(args)%2 != 0 {
			return nil, invalid
		}
		var points []SavePoint
		for pair := range slices.Chunk(args, 2) {
			seconds, ok1 := value.ParseLoose(pair[0])
			changes, ok2 := value.ParseLoose(pair[1])
			if !ok1 || !ok2 || seconds < 1 || changes < 0 {
				return nil, invalid
			}
			points = append(points, SavePoint{seconds, changes})
		}
		return points, nil
	},
	Format: func(points []SavePoint) string {
		return value.Join(points, func(p SavePoint) string {
			return fmt.Sprintf("%d %d",
				p.Seconds, p.Changes)
		})
	},
}
