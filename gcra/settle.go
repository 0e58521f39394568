package gcra

import "cellserver/internal/exact"

// Settle replaces the estimated cost of a request with its real cost, and returns the new TAT. The request
// passed at the time at, with this interval. The estimate was a quantity of reserved, the real cost is a
// quantity of real.
//
// If the real cost is larger, the difference is charged now. If it is smaller, the difference is given back,
// but at most the part of the estimate that has not come back yet:
//
//	refund = min((reserved - real) * interval, reserved * interval - (now - at))
//
// The age of the request is now - at. Time in which the quota is full brings nothing back. With the real
// cost alone, the quota may have been full for a part of the age: for at most the age minus real * interval.
// The refund leaves this part out. So the TAT is never earlier than it would be if the real cost had been
// known at the start.
func Settle(tat, now, interval, at, reserved, real int64) (newTAT int64, err error) {
	if reserved < 0 || real < 0 {
		return 0, errNegativeQuantity
	}
	if real > reserved {
		increment, ok := exact.Mul(real-reserved, interval)
		if !ok {
			return 0, errQuantityOutOfRange
		}
		if newTAT, ok = exact.Add(max(tat, now), increment); !ok {
			return 0, errQuantityTooFar
		}
		return newTAT, nil
	}
	whole, ok := exact.Mul(reserved, interval)
	if !ok {
		return 0, errQuantityOutOfRange
	}
	owed := whole - exact.Since(min(at, now), now)
	refund := min((reserved-real)*interval, owed)
	if tat <= now || refund <= 0 {
		return tat, nil
	}
	return max(tat-refund, now), nil
}
