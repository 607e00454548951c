// Package proxies tests the HTTP API behind a real HAProxy and a real nginx, which setup fetches. Its
// tests may import internal/httpapi, internal/machine and test/bed.
package proxies
