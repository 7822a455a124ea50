package main

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
)

// ipPool gives each pod an address of its own. Addresses are handed out in
// turn, so that one which was freed does not come back at once.
type ipPool struct {
	mu     sync.Mutex
	prefix netip.Prefix
	first  netip.Addr
	last   netip.Addr
	used   map[netip.Addr]struct{}
}

// newIPPool makes a pool of the addresses in cidr.
func newIPPool(cidr string) (*ipPool, error) {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil {
		return nil, fmt.Errorf("parse pod network: %w", err)
	}
	// The first two addresses are the network's and the gateway's.
	gateway := prefix.Addr().Next()
	return &ipPool{prefix: prefix, first: gateway.Next(), last: gateway, used: map[netip.Addr]struct{}{}}, nil
}

// take returns an address that nobody uses.
func (p *ipPool) take() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Of one more address than are in use, at least one is free, unless the
	// network is smaller than that.
	for range len(p.used) + 1 {
		p.last = p.last.Next()
		if !p.prefix.Contains(p.last) {
			p.last = p.first
		}
		if _, taken := p.used[p.last]; !taken {
			p.used[p.last] = struct{}{}
			return p.last.String(), nil
		}
	}
	return "", errNoAddress
}

// reserve marks an address that a pod already has.
func (p *ipPool) reserve(ip string) {
	addr, err := netip.ParseAddr(ip)
	if err != nil || !p.prefix.Contains(addr) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used[addr] = struct{}{}
}

// free gives an address back.
func (p *ipPool) free(ip string) {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.used, addr)
}

// errNoAddress says that every address of the node is in use.
var errNoAddress = errors.New("no pod address is left")
