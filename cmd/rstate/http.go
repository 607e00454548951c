//go:build ros

package main

import (
	"errors"

	"go.uber.org/zap"

	"rstate/internal/httpapi"
	"rstate/internal/instances"
)

// httpFlagsOn offers the options of HTTP. The function takes the address, if one is given, and
// serves nothing yet; factory may be nil.
func httpFlagsOn(f *options) func(*instances.Simulations, httpapi.Factory, *zap.Logger) (*instances.HTTP, error) {
	address := f.String("http", "", "serve HTTP on that `address`; a port alone means this host only")
	token := f.String("token-file", "", "a `file` with the token that writing over HTTP needs; without it only this host writes")
	open := f.Bool("open", false, "open the page of --http in a browser")
	hosts := f.String("http-hosts", "", "`names`, with commas, under which clients call this host over HTTP")
	return func(simulations *instances.Simulations, factory httpapi.Factory, log *zap.Logger) (*instances.HTTP, error) {
		if *address == "" {
			if *open {
				return nil, errors.New("cannot open the page, because --open needs --http; add --http 8080")
			}
			return nil, nil
		}
		h, err := instances.ListenHTTP(instances.HTTPConfig{Address: *address, TokenFile: *token, Hosts: *hosts,
			Version: version, Log: log}, simulations, factory)
		if err == nil && *open {
			go func() { // a browser may take long; its connection waits until HTTP is served
				if err := openPage(h.Page()); err != nil {
					log.Warn(err.Error())
				}
			}()
		}
		return h, err
	}
}
