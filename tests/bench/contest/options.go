package contest

// Options are the settings of the command line.
type Options struct {
	Mode       string
	Write      bool
	Repeats    int
	Seconds    float64 // length of one measurement
	Keys       int     // for memory
	Kills      int     // of a leader, for cluster
	Busy       bool    // measure once, whatever other processes do
	Only       string  // a part of the names of the rows to measure
	Cellserver string  // path of the program
	RedisCell  string  // path of the module; "" for none
	Core       string  // of the servers
	LoadCore   string  // of the clients
}
