// Command proxy stands before a language model with the API of OpenAI. It holds budgets of organisations, teams and users. Copy it.
//
// The program asks cellserver over HTTP: /reserve before each call of the model, and /settle after it. The environment has its
// settings:
//
//	LISTEN  the address of this proxy
//	LIMITS  the address of cellserver: http://127.0.0.1:7380
//	MODEL   the address of the model: https://api.example.com
//	KEYS    who may call: {"sk-ann": ["acme", "search", "ann"]} has an organisation, a team and a user for each API key
//
// Invariant: no call reaches the model without a reservation.
//
// There are no locks.
package main
