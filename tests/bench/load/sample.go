package load

func (s Sample) Disturbed() float64 { return s.Others }

// Sample is one measurement of a command or of a transaction.
type Sample struct {
	Rate                float64 // per second
	CPU                 float64 // of the server, µs for each
	P50, P99, P999, Max float64 // milliseconds
	Others              float64 // the part of a core that other processes used
}

// Point is the pipeline depth and the number of connections of a row.
type Point struct{ Pipeline, Connections int }
