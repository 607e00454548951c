// Package httpapi serves the simulations of a daemon or a factory over HTTP: the endpoints, their
// OpenAPI document, server-sent events, metrics, and the rules about which request is let in.
//
// It decides nothing about nodes. It asks Simulations, and Factory where new simulations can be
// made; the process implements both. The types in types.go are the only description of what goes
// over the wire: Simulations takes and returns them, and huma makes the OpenAPI document from them.
//
// A request passes these checks in this order, each in the file that is named:
//
//	connection   limits of connections, apart for this host and for others;
//	             the oldest that sends no whole request makes room            limits.go
//	Host         an address, localhost or a configured name, else 421         guard.go
//	Origin       the page of this server or none, else 403                    guard.go
//	token        for writing, if there is one, else 401; or loopback, else 403  guard.go
//	route        a known path and method, else 404 or 405                     server.go
//	body         JSON, of limited size and time, else 415, 413 or 408         body.go
//	schema       each parameter and key is as documented, else 400            operations.go
//	challenge    for a command that can arm a node, else 403                  challenge.go
//
// Each error is a problem document (RFC 9457). Only faults that net/http finds before it has a
// request, such as a header that is too long, are answered in plain text.
//
// A client that goes away cancels nothing: what it began is finished.
//
// The package imports the standard library, huma, the Prometheus client and zap. Of this project it
// may import machine, whose Word is what a command becomes at this border, and secret.
package httpapi
