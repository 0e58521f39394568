package account

// demand is how many requests and units come in 100 ms, smoothed.
type demand struct {
	slot     int64 // the number of the 100 ms that are counted now
	last     int64 // when the last request came
	requests int32 // in this slot
	rate     int32 // requests in a slot, smoothed, in 256ths
	units    int64 // in this slot
	flow     int64 // units in a slot, smoothed, in 256ths
}

// The bounds keep all products below 2^53, so that JavaScript computes them exactly.
const (
	slotLength   = 100_000 // µs
	fraction     = 256
	mostRequests = 1_000_000
	mostUnits    = 100_000_000
	longestIdle  = 200 // slots without a request, after which nothing is left of a rate
)

// count counts a request.
func (d *demand) count(boot, quantity int64) {
	d.roll(boot)
	d.last = boot
	d.requests = min(d.requests+1, mostRequests)
	d.units = min(d.units+min(quantity, mostUnits), mostUnits)
}

// roll smooths the slots that have ended.
func (d *demand) roll(boot int64) {
	slot := boot / slotLength
	ended := min(slot-d.slot, longestIdle)
	for range ended {
		d.rate, d.flow = smooth(d.rate, d.requests), smooth(d.flow, d.units)
		d.requests, d.units = 0, 0
	}
	if ended > 0 {
		d.slot = slot
	}
}

// smooth moves a rate toward the count of a slot: up by a quarter of the way, down by an eighth.
func smooth[N int32 | int64](rate, count N) N {
	if way := count*fraction - rate; way > 0 {
		return rate + way/4
	}
	return rate - (rate-count*fraction+7)/8
}

// hotRequests is how many requests come in the time of a lease, if its key is hot.
const hotRequests = 4

// burst is how many requests of a slot count before it ends.
const burst = 16

// now returns the rates, with a slot that has not ended if many requests came in it.
func (d *demand) now() (rate, flow int64) {
	if d.requests < burst {
		return int64(d.rate), d.flow
	}
	return int64(max(d.rate, smooth(d.rate, d.requests))), max(d.flow, smooth(d.flow, d.units))
}

// isIdle reports whether no request came for so long that the demand has ended.
func (d *demand) isIdle(boot int64) bool {
	return boot-d.last > max(slotLength, d.timeOf(idleRequests))
}

// idleRequests is how many requests do not come before a demand has ended.
const idleRequests = 8

// isHot reports whether enough requests come in a time of milliseconds.
func (d *demand) isHot(length int64) bool {
	rate, _ := d.now()
	return rate*length >= hotRequests*fraction*slotLength/1000
}

// unitsIn returns how many units are asked for in a time of milliseconds.
func (d *demand) unitsIn(length int64) int64 {
	_, flow := d.now()
	return flow * length / (fraction * slotLength / 1000)
}

// timeOf returns in how many microseconds a number of requests comes.
func (d *demand) timeOf(requests int64) int64 {
	rate, _ := d.now()
	return requests * slotLength * fraction / max(1, rate)
}
