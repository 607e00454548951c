// Package page is the page that the HTTP server shows at "/": the state of each network, why it is so, what it waits
// for, the commands, and what would happen if a node failed.
//
// # What it shows, and where each datum comes from
//
// The page is one more client of the HTTP API. It knows nothing that another client cannot ask for.
//
//	state, target, intact, cause       /events: simulation.state, .target, .intact, .cause
//	the diagnosis and its link         /events: .may_be_armed, .failure, .deviations, .warnings, .progress (judge.js)
//	commands, each in one place        /events: .all_commands (judge.js, stand.js); sent by PUT /simulation/{id}/state
//	arming                             POST /simulation/{id}/challenge, then PUT with the challenge (hold.js)
//	disarming                          PUT with simulation.disarm, whatever else is open (commands.js)
//	nodes, and what each waits for     /events: .nodes, with .after for the order (order.js, judge.js)
//	age of everything                  the stamps of /events, on the clock of the server (offset.js, link.js)
//	timeline with its critical path    GET /simulation/{id}/history: entries of kind step with took_s (transitions.js)
//	history                            GET /simulation/{id}/history
//	why                                GET /simulation/{id}/why
//	peers, the stepped loop            /events: .peers, .loop
//	simulations of a factory           /events, every simulation
//	what if a node dies                GET /simulation/{id}/network, played in the page (rehearsal.js)
//
// # How it is made
//
// The files in web are served as they are; users need no build. Preact, its hooks, signals and htm are in web/vendor,
// byte for byte as their npm packages have them; vendored.json has their versions, licences and hashes. Types are JSDoc
// comments. `make page` checks them with tsc against api.d.ts, which is written from the types of httpapi.
//
// Each module in web/app is one concept. Those that judge or compute (judge, hold, stand, offset, order, transitions) know no
// DOM and no network; views draw; api and link speak with the server. test/page opens all of it in a browser.
//
// # What protects it
//
// The content security policy lets only files of this server run, and no inline script, style or eval. The import map is
// inline, as browsers ask for, and is named by its hash. Only the worker of the rehearsal may compile WebAssembly: it
// has a policy of its own. Texts of nodes and clients are shown as text, because nothing here makes HTML from a string;
// trusted types enforce that. No other site can put the page into a frame.
//
// Files have the hash of all files in their path, so a browser keeps them for good, and an old page never mixes with new
// files. The page itself is always asked for anew.
//
// The package imports the standard library alone.
package page
