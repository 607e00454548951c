//go:build ros

package main

import (
	"go.uber.org/zap"

	"rstate/internal/httpapi"
	"rstate/internal/instances"
)

// httpFlagsOn offers the options of HTTP. The function takes the address, if one is given, and
// serves nothing yet; factory may be nil.
func httpFlagsOn(f *options) func(*instances.Simulations, httpapi.Factory, *zap.Logger) (*instances.HTTP, error) {
	address := f.String("http", "", "serve HTTP on that `address`; a port alone means this host only")
	token := f.String("token-file", "", "a `file` with the token that writing over HTTP needs; without it only this host writes")
	hosts := f.String("http-hosts", "", "`names`, with commas, under which clients call this host over HTTP")
	return func(simulations *instances.Simulations, factory httpapi.Factory, log *zap.Logger) (*instances.HTTP, error) {
		if *address == "" {
			return nil, nil
		}
		return instances.ListenHTTP(instances.HTTPConfig{Address: *address, TokenFile: *token, Hosts: *hosts,
			Version: version, Log: log}, simulations, factory)
	}
}
