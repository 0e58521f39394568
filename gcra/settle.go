package gcra

import "cellserver/internal/exact"

// Settle puts the real cost of a request in the place of an estimate, and returns the new TAT. The request passed at the time at,
// with this interval. The estimate was a quantity of reserved, the real cost is a quantity of real.
//
// If the real cost is larger, the difference is charged now. If it is smaller, the difference is given back, but at most what
// is still owed of the request:
//
//	refund = min((reserved - real) * interval, reserved * interval - (now - at))
//
// So the TAT is never earlier than if the real cost had been known at the start. With that cost the quota may have been full for
// a part of the age, and a full quota pays nothing. That part is at most the age minus the time for the real cost.
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
