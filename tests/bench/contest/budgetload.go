package contest

import (
	"context"
	"strconv"

	"cellserver/tests/bench/load"
	"cellserver/tests/bench/server"
)

// The workloads of budgets. Each has the keys of one of 100,000 users, and a rule of three scopes also those of 50 teams and
// of 7 organisations.
const (
	UserThrottle     = "CL.THROTTLE of a user"
	ThreeScopes      = "CL.CHECK of three scopes"
	TwoChecks        = "two CL.CHECK of a user"
	Reservation      = "CL.RESERVE and CL.SETTLE of a user"
	LaterSettlement  = "CL.RESERVE of a user and CL.SETTLE of an earlier one"
	ScopeReservation = "CL.RESERVE and CL.SETTLE of three scopes"
)

// Budgets returns the workloads of budgets. Every call is allowed, and writes.
func Budgets() []Workload {
	return []Workload{
		{Name: UserThrottle, Script: Usage(server.Kind{Throttles: true}), throttle: true, prepare: FillUsed},
		{Name: ThreeScopes, Script: script(func(b []byte, _ string, user int) []byte {
			return load.Command(b, append(scopes(user), "12")...)
		}, 1), throttle: true, prepare: fillScopes},
		{Name: TwoChecks, Script: script(func(b []byte, _ string, user int) []byte {
			for _, quantity := range []string{"12", "9"} {
				b = check(b, oneScope(user), quantity)
			}
			return b
		}, 2), each: 2, throttle: true, prepare: fillScopes},
		{Name: Reservation, Script: reservations(oneScope), each: 2, throttle: true, prepare: fillReservations(oneScope)},
		{Name: LaterSettlement, Script: laterSettlements, each: 2, throttle: true, prepare: fillReservations(oneScope)},
		{Name: ScopeReservation, Script: reservations(threeScopes), each: 2, throttle: true, prepare: fillReservations(threeScopes)},
	}
}

// reserved is the answer of a rule of budgets: the user's limit is the tightest.
const reserved = "*5\r\n:0\r\n:1000001\r\n:??????\r\n:-1\r\n:????\r\n"

// script makes a script of requests with several replies each. The id is another one for each request.
func script(send func(b []byte, id string, user int) []byte, replies int) func(connection int) load.Script {
	return func(connection int) load.Script {
		prefix := "request-" + strconv.Itoa(connection) + "-"
		return func(request, reply []byte, i int) ([]byte, []byte) {
			for range replies {
				reply = append(reply, reserved...)
			}
			return send(request, prefix+strconv.Itoa(i), (connection*1009+i*7919)%Keyspace), reply
		}
	}
}

// reservations reserve a cost for two seconds, and settle it. So reservations also end while others begin.
func reservations(names func(user int) []string) func(connection int) load.Script {
	return script(func(b []byte, id string, user int) []byte { return reservation(b, names(user), id) }, 2)
}

// laterSettlements reserve a cost for a minute, and settle an earlier reservation of another user. A settlement comes a batch after its
// reservation. The first batch has CL.CHECK instead.
func laterSettlements(connection int) load.Script {
	const batch = 16
	one := func(send func(b []byte, names []string, id string) []byte) load.Script {
		return script(func(b []byte, id string, user int) []byte { return send(b, oneScope(user), id) }, 1)(connection)
	}
	begins := one(func(b []byte, names []string, id string) []byte { return reserve(b, names, id, "60") })
	ends := one(settle)
	checks := one(func(b []byte, names []string, _ string) []byte { return check(b, names, "9") })
	return func(request, reply []byte, i int) ([]byte, []byte) {
		if request, reply = begins(request, reply, i); i < batch {
			return checks(request, reply, i)
		}
		return ends(request, reply, i-batch)
	}
}

// reservation appends the two requests of a reservation to b.
func reservation(b []byte, names []string, id string) []byte {
	return settle(reserve(b, names, id, "2"), names, id)
}

func check(b []byte, names []string, quantity string) []byte {
	return load.Command(b, append(append([]string{"CL.CHECK"}, names...), quantity)...)
}

func reserve(b []byte, names []string, id, ttl string) []byte {
	return load.Command(b, append(append([]string{"CL.RESERVE"}, names...), "12", id, ttl)...)
}

func settle(b []byte, names []string, id string) []byte {
	return load.Command(b, append(append([]string{"CL.SETTLE"}, names...), id, "9")...)
}

// oneScope and threeScopes return the rule and the keys of a request of a user.
func oneScope(user int) []string    { return []string{"one", load.Key("key:", user)} }
func threeScopes(user int) []string { return scopes(user)[1:] }

// scopes returns the words of a request to the rule of three scopes, without its quantity.
func scopes(user int) []string {
	return []string{"CL.CHECK", "three", "org:" + strconv.Itoa(user%7), "team:" + strconv.Itoa(user%50), load.Key("key:", user)}
}

// fillScopes makes a rule of one limit and one of three scopes. It creates the states, with a user's limit in use for an hour.
func fillScopes(ctx context.Context, s *server.Server) error {
	for _, rule := range [][]any{
		{"CL.RULE", "SET", "one", "CL.THROTTLE", 1_000_000, 1, 1},
		{"CL.RULE", "SET", "three", "SCOPE", "org", "CL.WINDOW", int64(1e15), 2592000, "AND", "SCOPE", "team", "CL.WINDOW", int64(1e15), 0, "ALIGN", "day",
			"AND", "SCOPE", "user", "CL.THROTTLE", 1_000_000, 1, 1},
	} {
		if _, err := s.Do(rule...); err != nil {
			return err
		}
	}
	const used = "*5\r\n:0\r\n:1000001\r\n:996401\r\n:-1\r\n:3600\r\n"
	for _, words := range []func(user int) []string{
		func(user int) []string { return []string{"CL.CHECK", "one", load.Key("key:", user)} },
		scopes,
	} {
		fill := load.Filler(s.Addr, Keyspace, func(b []byte, i int) []byte { return load.Command(b, append(words(i), "3600")...) }, used)
		if _, err := load.Drive(ctx, fill); err != nil {
			return err
		}
	}
	return nil
}

// visits is the number of reservations of the busiest users. If the first four have ended, the fifth writes the bucket again.
const visits = 5

// fillReservations is [fillScopes], and reserves and settles for each user: once for some, and up to five times for others. Then
// the buckets have one to five records, as on a server that has run for some time. So the workload writes some of them again.
func fillReservations(names func(user int) []string) func(context.Context, *server.Server) error {
	return func(ctx context.Context, s *server.Server) error {
		if err := fillScopes(ctx, s); err != nil {
			return err
		}
		for visit := range visits {
			id := "fill-" + strconv.Itoa(visit)
			fill := load.Filler(s.Addr, Keyspace*(visits-visit)/visits, func(b []byte, user int) []byte { return reservation(b, names(user), id) }, reserved+reserved)
			if _, err := load.Drive(ctx, fill); err != nil {
				return err
			}
		}
		return nil
	}
}
