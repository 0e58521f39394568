package adaptive

import (
	"errors"
	"math"
)

// Algorithm finds a limit.
type Algorithm uint8

// The algorithms.
const (
	Gradient Algorithm = iota
	Gradient2
	Vegas
	AIMD
)

// algorithms has the name of each algorithm, how it finds the next state, and the bounds of its memory.
var algorithms = [...]struct {
	name string
	next func(*State, *Window, *Options)
	most [5]int64
}{
	Gradient: {"GRADIENT", nextGradient, [...]int64{
		base: LongestLatency, fromSize: MostLimit * One, fromRate: math.MaxInt64,
		fast: MostLimit * One, dropped: 1,
	}},
	Gradient2: {"GRADIENT2", nextGradient2, [...]int64{
		base: LongestLatency * longUnit, warmups: warmupCount, warmupSum: LongestLatency * warmupCount, 4: 0,
	}},
	Vegas: {"VEGAS", nextVegas, [...]int64{base: LongestLatency, probes: MostLimit * 90 / 4, 4: 0}},
	AIMD:  {"AIMD", nextAIMD, [5]int64{}},
}

// String returns the name of an algorithm, as clients write it.
func (a Algorithm) String() string { return algorithms[a].name }

// Algorithms is the number of algorithms.
const Algorithms = Algorithm(len(algorithms))

// The bounds of the options.
const (
	MostLimit        = 100_000
	LongestLatency   = 1 << 51 // ns, about 26 days
	ShortestWindow   = 100_000_000
	LongestWindow    = 60_000_000_000
	LeastTolerance   = 101
	LargestTolerance = 400
)

// The options of a call that does not say others.
const (
	DefaultLeast     = 1
	DefaultMost      = 1000
	DefaultStart     = 20
	DefaultWindow    = 1_000_000_000
	DefaultTolerance = 125
)

// Options are the parameters of a limit.
type Options struct {
	Algorithm
	Partitions uint8 // of the limit; a request does not say it
	Tolerance  int16 // GRADIENT lets the latency be this percent of its base
	Least      int32
	Most       int32
	Start      int32
	Latency    int64 // ns; AIMD takes a longer one for a drop
	Window     int64 // ns; 0 is a window for each sample
}

// Default are the options of a call that says none.
var Default = Options{
	Tolerance: DefaultTolerance, Least: DefaultLeast, Most: DefaultMost, Start: DefaultStart,
	Window: DefaultWindow,
}

// The errors name the argument that is wrong.
var (
	errLatency   = errors.New("latency must be positive")
	errLeast     = errors.New("least must be from 1 to 100000")
	errMost      = errors.New("most must be from least to 100000")
	errStart     = errors.New("start must be from 1 to 100000")
	errWindow    = errors.New("window must be from 0.1 to 60 seconds, or 0 for a window for each sample")
	errTolerance = errors.New("tolerance must be from 101 to 400 percent")
)

// New returns the options of one call. An error names the argument that is out of range. A start outside of
// the bounds means the nearest bound.
func New(a Algorithm, latency, least, most, start, window, tolerance int64) (o Options, err error) {
	switch {
	case a == AIMD && latency <= 0:
		err = errLatency
	case least < 1 || least > MostLimit:
		err = errLeast
	case most < least || most > MostLimit:
		err = errMost
	case start < 1 || start > MostLimit:
		err = errStart
	case window != 0 && (window < ShortestWindow || window > LongestWindow):
		err = errWindow
	case tolerance < LeastTolerance || tolerance > LargestTolerance:
		err = errTolerance
	}
	return Options{
		Algorithm: a, Tolerance: int16(tolerance), Least: int32(least), Most: int32(most),
		Start: int32(start), Latency: latency, Window: window,
	}, err
}

// LeastSamples returns how many samples a window needs to change the limit.
func (o *Options) LeastSamples() int64 {
	const enough = 10
	if o.Window == 0 {
		return 1
	}
	return enough
}
