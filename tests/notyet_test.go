package tests

// notYet has a line for each package that is not within the bounds yet: how much each number may be until it is. A line
// that a package needs no longer fails its test; delete it then. Raise no number.
var notYet = map[string]shape{
	"cmd/cellserver":        {noDoc: 1, riddles: 2},
	"cmd/cellserver/app":    {noDoc: 1, riddles: 14, long: 6},
	"gcra":                  {riddles: 1, long: 6},
	"internal/config":       {noDoc: 1, riddles: 5, long: 9},
	"internal/decimal":      {noDoc: 1, long: 1},
	"internal/exact":        {noDoc: 1, long: 2},
	"internal/topk":         {riddles: 2},
	"limiters/lease":        {riddles: 1, long: 2},
	"limiters/pace":         {riddles: 1, long: 5},
	"limiters/slidinglog":   {long: 3},
	"limiters/window":       {riddles: 6, long: 8},
	"persistence":           {riddles: 22, long: 7},
	"persistence/aof":       {noDoc: 1, riddles: 18, long: 14},
	"persistence/fs":        {noDoc: 1, riddles: 7, long: 3},
	"persistence/fs/fstest": {noDoc: 1, riddles: 3, long: 2},
	"persistence/rdb":       {floors: 8, noDoc: 1, riddles: 11, long: 11},
	"resp":                  {fields: 27, noDoc: 1, riddles: 33, long: 24},
	"resp/resptest":         {noDoc: 1, long: 2},
	"server":                {riddles: 2},
	"store":                 {lines: 4094, circle: 3661, riddles: 70, long: 48},
}

// notYetPages has a line for each page with riddles or long sentences: how many of them it may have until they are gone.
var notYetPages = map[string]struct{ riddles, long int }{
	"docs/configuration.md": {riddles: 4, long: 0},
}
