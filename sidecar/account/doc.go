// Package account decides about the requests of hot keys from units that a hub has granted in advance.
//
// An account belongs to one limit of one user: the text of the client's command without its quantity. The
// caller sends the questions of the account to the hub as CL.LEASE, and its replies back to the account.
// docs/sidecar.md says what a client sees of this.
//
// # The way of a request
//
//	Take ──▶ Local     a unit of a lease is spent
//	     ──▶ Refused   the hub had no unit a moment ago
//	     ──▶ Wait      for the answer to a question; then Again
//	     ──▶ Pass      the key is cold: the caller sends the client's own command, and then calls Passed
//
// After Local and Wait the caller calls NextAsk. If there is a question, the caller sends it at once, and
// calls Granted, Failed or Lost later. It calls Tick of the table every 20 milliseconds.
//
// # Rules
//
//   - Demand is the number of requests in 100 ms, smoothed: up by 1/4, down by 1/8. The 100 ms of now count
//     too, if 16 requests came in them. A key is hot if four requests come in the time of a lease.
//   - A question wants the demand of half a lease, less what is left, and the units of those who wait. It
//     leaves when less than the demand of a quarter of a lease is left.
//   - If a grant has less than the account wants, the account refuses what its units do not cover. It does
//     so until the limit says retry, and for about twelve requests. Nobody waits in that time. Only after a
//     first question without units the requests pass: a lease may get none while one request may get some.
//   - The last leases of a window end with it, and what frees up later is lost. So before that the space
//     between two questions is at most a sixth of the time that is left. If fewer than four requests come in
//     that time, the key is cold.
//   - The demand has ended if no request came in the time of eight, and in 100 ms. Then all units leave the
//     memory, and a question gives them back. The same happens in the last tenth of a lease.
//   - A refusal is remembered for one second at most. A smaller quantity is not refused by it.
//   - A quantity above half of the limit passes if no lease covers it: only the hub may
//     have so many units at once.
//
// # The mode report
//
// If Settings.Interval is not 0, Take decides by a view: what the hub said last, less what was spent since,
// and with what came back. Tick sends what was spent as a charge, and Charged takes the reply, which is the
// new view. Until the hub has taken a charge, all requests pass. A charge without a reply is sent again, so
// the hub counts each unit at least once. An account that owes units is not forgotten for a new one.
//
// N holders of a GCRA admit at most limit + rate·w + (N−1)·(limit + rate·D) + N in any time w. D is
// how late a charge comes. A debt is paid back before more is admitted.
//
// # The files
//
//	account.go  Account: Take, Again, Look, Passed
//	ask.go      the questions and their answers
//	demand.go   how many requests come
//	held.go     the leases of an account
//	report.go   the mode report: decisions by a view of the hub's state, and charges
//	share.go    decisions while the hub is lost
//	table.go    Table: the accounts by user and command, and figures
//
// # Invariants
//
//   - A unit is spent once, before its lease ends by either clock of the holder. A lease begins when its
//     question leaves, and is a thousandth shorter than the hub says.
//   - No question for a lease is sent twice, so units are given back once.
//   - An account holds four leases at most, and a table as many accounts as it may. A table forgets the
//     account that was not used for the longest time. Its units are stranded.
//   - Accounts of different users share nothing.
//
// Times are integers of microseconds, and durations of the wire are milliseconds: all languages of the
// middleware compute with them exactly.
//
// The package reads no clock and takes no locks. The caller locks a table with its accounts.
package account
